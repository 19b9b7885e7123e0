/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a program and all that comes of it, threads and children, one
 * instruction at a time, and keeps the true stack of each.
 */
#ifndef SHADOW_TRACER_H
#define SHADOW_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct truth;

/* A thread, stopped between two instructions. */
struct task {
	pid_t tid;
	struct user_regs_struct regs;
	struct truth *truth;		/* what it had called then */
	/* The rest is the tracer's. */
	int signal;			/* to be delivered, or 0 */
	bool delivered;			/* the last resume delivered one */
	bool begun;			/* its first stop was seen */
	bool waits;			/* stopped, but its parent is not known yet */
	uint64_t parent_sp;
};

/*
 * Starts a program (argv ends with NULL), with addresses that don't change from
 * run to run, and nothing for input and output. 0 or a negative errno.
 */
int tracer_start(char **argv);

/*
 * Lets the task that it returned last run on by one instruction, and waits
 * until any task has. Its memory can be read then (memory.h). NULL when all
 * have ended. What cannot be traced ends us.
 */
struct task *tracer_next(void);

/* Counts the system calls that may have changed what is mapped where. */
uint64_t tracer_nr_mappings(void);

/* Kills all of them. */
void tracer_end(void);

#endif
