/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a program with its threads and children, one instruction at a time, and keeps the true stack
 * of each thread.
 */
#ifndef SINGLE_STEP_TRACER_H
#define SINGLE_STEP_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct truth;

/* A thread, stopped between two instructions. */
struct task {
	pid_t tid;
	struct user_regs_struct regs;
	struct truth *truth;		/* its true stack */

	/* The rest is private to tracer.c. */
	int signal;			/* to be delivered, or 0 */
	bool delivered;			/* the last resume delivered a signal */
	bool begun;			/* its first stop was seen */
	bool waits;			/* it stopped before the stop of its parent was seen */
	uint64_t parent_sp;		/* the stack pointer of the parent at the clone */
};

/*
 * Starts a program; argv ends with NULL. Its addresses are the same in each run. Its standard input
 * and output are /dev/null.
 * Returns: 0, or a negative errno.
 */
int tracer_start(char **argv);

/*
 * Lets the task of the last call run for one instruction, and waits until any task stops. memory.h
 * then reads the memory of that task. Exits if a task cannot be traced.
 * Returns: the task that stopped, or NULL: all have ended.
 */
struct task *tracer_next(void);

/* Returns the number of system calls so far that may have changed mappings. */
uint64_t tracer_nr_mappings(void);

/* Kills all tasks, and waits until they have ended. */
void tracer_end(void);

#endif
