/* SPDX-License-Identifier: GPL-2.0 */
/* A sample of every thread of a session's targets, running or not. */
#ifndef PPROF_THREAD_SNAPSHOT_H
#define PPROF_THREAD_SNAPSHOT_H

#include "record/record.h"

/* A result of weigh(): the thread is coming to a CPU, and will be sampled there. */
#define PPROF_SNAPSHOT_COMES	U64_MAX

/* How to sample a thread from its present state. */
struct pprof_snapshot_options {
	u16 source;
	/*
	 * Returns the weight of @task's sample; 0: no sample; or PPROF_SNAPSHOT_COMES. It may be
	 * called again if the thread was switched meanwhile. NULL: the weight is 1.
	 * Context: interrupts off.
	 */
	u64 (*weigh)(void *ctx, struct task_struct *task);
	/*
	 * Called before the sample of @task is sent. Returns: false if the thread wrote its sample
	 * itself meanwhile. The thread is then visited again. NULL: true. With this function a
	 * thread that is switched during each visit is not counted as lost.
	 * Context: interrupts off.
	 */
	bool (*claim)(void *ctx, struct task_struct *task);
	/*
	 * Called when @task is done: its sample was sent or lost, or none was due. NULL: nothing.
	 * Sleeps.
	 */
	void (*done)(void *ctx, struct task_struct *task);
	void *ctx;
};

/*
 * Samples threads in the order of their tids, from tid *next on: see PPROF_IOC_THREADS. Sets *next
 * to the tid at which the next call goes on, or to 0: there are no more threads. A kernel worker
 * does the work, and the caller waits for it. Only process events may change the targets meanwhile.
 * Returns: 0; or -ENOMEM or -EAGAIN: nothing was done.
 * Sleeps.
 */
int pprof_snapshot_sample(struct pprof_sink *sink, const struct pprof_snapshot_options *options,
			  u32 *next);

#endif
