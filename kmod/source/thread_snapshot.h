/* SPDX-License-Identifier: GPL-2.0 */
/* A sample of every thread that a session's targets have, running or not. */
#ifndef PPROF_THREADS_H
#define PPROF_THREADS_H

#include "record/record.h"

/* No weight: the thread is coming to a CPU, and is asked there. */
#define PPROF_THREADS_COMES	U64_MAX

/* What a sample is of, and how much of it there is: from this state, of a thread. */
struct pprof_threads_how {
	u16 source;
	/*
	 * The weight of @task's sample, 0: none; PPROF_THREADS_COMES. It may be asked again if
	 * the thread did not hold still. Interrupts are off. NULL: 1.
	 */
	u64 (*weigh)(void *ctx, struct task_struct *task);
	/*
	 * @task's weight is about to be told. False: it told it itself since it was asked
	 * for, and is looked at again. Interrupts are off. NULL: true. If there is one, who
	 * never holds still owes nothing.
	 */
	bool (*claim)(void *ctx, struct task_struct *task);
	/* @task is done with: its sample was told or lost. May sleep. NULL: nothing. */
	void (*done)(void *ctx, struct task_struct *task);
	void *ctx;
};

/*
 * See PPROF_IOC_THREADS: goes on with the thread of tid *@next, which becomes the
 * next one's, or 0 if there is none. @sink's targets don't change but by their
 * own lives. May sleep, and waits for a worker. -ENOMEM, -EAGAIN: as if never
 * called.
 */
int pprof_threads_sample(struct pprof_sink *sink, const struct pprof_threads_how *how, u32 *next);

#endif
