/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a thread: pprof_sample.arg of the sources thread and wall. */
#ifndef COLLECTOR_THREAD_STATE_H
#define COLLECTOR_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Returns the state as a label: "running", "runnable", "stopped", or the class of the system
 * call that the thread waits in, as wait_class_name() gives it. Static.
 */
const char *thread_state_label(uint64_t arg);

/* Does the thread wait in a system call? Then its PC is a return address. */
bool thread_state_in_syscall(uint64_t arg);

/*
 * Prints the state as in a thread dump, for example "futex_wait, 5 minutes". The time, given in
 * ns, is printed from one minute on. Write errors are left in out, for ferror().
 */
void thread_state_print(FILE *out, uint64_t arg, uint64_t ns);

#endif /* COLLECTOR_THREAD_STATE_H */
