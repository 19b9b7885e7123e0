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

/*
 * For process/syscall_filter.c: calls of this CPU alone. The refused ones set permissions, make
 * special files, or change the CPU.
 */
#define ARCH_REFUSED_CALLS {						\
	SYS_chmod, SYS_chown, SYS_lchown, SYS_mknod, SYS_symlink,	\
	SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib,		\
}

/* uretprobe(), since Linux 6.11: another session may have a heap profile of the collector. */
#define ARCH_PARSER_CALLS	{ 335 }

#endif /* COLLECTOR_ARCH_X86_SYSTEM_CALLS_H */
