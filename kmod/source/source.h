/* SPDX-License-Identifier: GPL-2.0 */
/* The interface between a session and a source. */
#ifndef PPROF_SOURCE_H
#define PPROF_SOURCE_H

#include "record/record.h"

struct pprof_source {
	/*
	 * Starts to write into @sink. *state is the argument of finish() and stop(). @period is
	 * that of struct pprof_start.
	 * Locks: the session's mutex is held.
	 * Returns: 0, -EINVAL: period out of bounds, -ENOMEM, or an error of the kernel's hooks.
	 * Sleeps.
	 */
	int (*start)(struct pprof_sink *sink, u64 period, void **state);
	/*
	 * Writes the samples that are due at the end, and samples nothing new from then on. NULL:
	 * none are due.
	 * Locks: the session's mutex is held.
	 * Returns: 0, -EAGAIN: call it again when the rings have been read, or -ENOMEM.
	 * Sleeps.
	 */
	int (*finish)(void *state);
	/*
	 * Ends the source and frees @state. When it returns, no code of the source runs.
	 * Sleeps.
	 */
	void (*stop)(void *state);
	/*
	 * Does it count right if a process becomes a target, or is removed from the targets, while
	 * its threads run or wait? See pprof_switches_look_again().
	 */
	bool follows_moves;
};

extern const struct pprof_source pprof_src_cpu;
extern const struct pprof_source pprof_src_threadcreate;
extern const struct pprof_source pprof_src_wall;
extern const struct pprof_source pprof_src_block;
extern const struct pprof_source pprof_src_mutex;
extern const struct pprof_source pprof_src_growth;
extern const struct pprof_source pprof_src_heap;

/*
 * Registers source CPU for CPU hotplug.
 * Returns: 0, or an error of the kernel's hotplug states.
 * Sleeps.
 */
int pprof_src_cpu_init(void);

/*
 * Takes back what pprof_src_cpu_init() did. No source CPU runs.
 * Sleeps.
 */
void pprof_src_cpu_exit(void);

#endif
