/* SPDX-License-Identifier: GPL-2.0 */
/* Classes of waits: the kind of system call that a blocked thread waits in. */
#ifndef COLLECTOR_WAIT_CLASS_H
#define COLLECTOR_WAIT_CLASS_H

#include <stdint.h>

/*
 * A wait in 32-bit code, or of a thread without user registers. The call is not known: calls of
 * 32-bit code have other numbers. It may also be a page fault.
 */
#define WAIT_CLASS_UNKNOWN	(1ULL << 32)

/*
 * Returns the class of a system call of this CPU: "futex", "io", "poll", "sleep" or "other".
 * Unknown calls are "other". PPROF_NO_SYSCALL is a page fault that waits for its page to be
 * read: "io". Static.
 */
const char *wait_class_name(uint64_t syscall);

/*
 * Returns the name of the system call, "page_fault" for PPROF_NO_SYSCALL, or NULL for a call
 * that hardly ever blocks. The futex calls are all "futex_wait". Static.
 */
const char *wait_class_syscall(uint64_t syscall);

#endif /* COLLECTOR_WAIT_CLASS_H */
