/* SPDX-License-Identifier: GPL-2.0 */
/* The state that a thread was found in: pprof_sample.arg of a snapshot. */
#ifndef COLLECTOR_THREADSTATE_H
#define COLLECTOR_THREADSTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A label: "running", "runnable", "stopped", or what it waits for, as blockclass_name(). */
const char *threadstate_label(uint64_t arg);

/* Does it wait in a system call, so that its PC is a return address? */
bool threadstate_in_syscall(uint64_t arg);

/* As in a dump: "futex_wait, 5 minutes", if it has been so for a minute at least. */
void threadstate_print(FILE *out, uint64_t arg, uint64_t ns);

#endif /* COLLECTOR_THREADSTATE_H */
