/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread that blocks waits for, told by its system call. */
#ifndef COLLECTOR_BLOCKCLASS_H
#define COLLECTOR_BLOCKCLASS_H

#include <stdint.h>

/* A wait of 32-bit code: it may be any call, whose numbers are others, or a page fault. */
#define BLOCKCLASS_UNKNOWN	(1ULL << 32)

/*
 * "futex", "io", "poll", "sleep" or "other", static, for a system call of
 * x86-64 or PPROF_NO_SYSCALL: a page fault waits for its page to be read. What is
 * unknown is "other".
 */
const char *blockclass_name(uint64_t syscall);

/* The call's name, "page_fault" for PPROF_NO_SYSCALL; NULL for one that hardly blocks. */
const char *blockclass_syscall(uint64_t syscall);

#endif /* COLLECTOR_BLOCKCLASS_H */
