/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows the process events of a session's targets. It adds children to the targets, removes
 * processes that ended, and writes the events into the rings.
 */
#ifndef PPROF_LIFE_H
#define PPROF_LIFE_H

#include "record/mmap_events.h"
#include "record/record.h"

struct pprof_life {
	struct pprof_sink *sink;
	struct pprof_mapq *mapq;
	bool thread_ends;	/* also report threads that end */
};

/*
 * Begins to follow the targets of @sink. Also reports threads that end, if @thread_ends.
 * Returns: 0, -ENOMEM, or an error of kprobes or tracepoints: nothing is left running then.
 * Sleeps.
 */
int pprof_life_init(struct pprof_life *life, struct pprof_sink *sink, bool thread_ends);

/*
 * Waits until the records of all past events are in the rings.
 * Sleeps.
 */
void pprof_life_flush(struct pprof_life *life);

/*
 * Ends it. When it returns, no hook of it runs. A zeroed one is left alone.
 * Sleeps.
 */
void pprof_life_fini(struct pprof_life *life);

#endif
