/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_ARCH_X86_SYSTEM_CALLS_H
#define COLLECTOR_ARCH_X86_SYSTEM_CALLS_H

#include <sys/syscall.h>

#define ARCH_SYSTEM_CALLS {				\
	{ SYS_poll, "poll", "poll" },			\
	{ SYS_select, "select", "poll" },		\
	{ SYS_epoll_wait, "epoll_wait", "poll" },	\
	{ SYS_open, "open", "io" },			\
	{ SYS_creat, "creat", "io" },			\
	{ SYS_getdents, "getdents", "io" },		\
	{ SYS_stat, "stat", "io" },			\
	{ SYS_lstat, "lstat", "io" },			\
	{ SYS_unlink, "unlink", "io" },			\
	{ SYS_rename, "rename", "io" },			\
	{ SYS_mkdir, "mkdir", "io" },			\
	{ SYS_pause, "pause", "other" },		\
	{ SYS_vfork, "vfork", "other" },		\
}

#endif /* COLLECTOR_ARCH_X86_SYSTEM_CALLS_H */
