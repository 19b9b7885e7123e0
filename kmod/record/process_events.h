/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows the lives of a session's processes: keeps its target true (children
 * join, the dead leave) and writes what happened into the rings.
 */
#ifndef PPROF_LIFE_H
#define PPROF_LIFE_H

#include "record/mmap_events.h"
#include "record/record.h"

struct pprof_life {
	struct pprof_sink *sink;
	struct pprof_mapq *mapq;
	bool thread_ends;	/* not only processes' */
};

/*
 * Begins to follow into @sink, the ends of threads too if @thread_ends. May sleep.
 * -ENOMEM, or an error of kprobes or tracepoints; nothing is left running then.
 */
int pprof_life_init(struct pprof_life *life, struct pprof_sink *sink, bool thread_ends);

/* When it returns, all that was heard of is in the rings. May sleep. */
void pprof_life_flush(struct pprof_life *life);

/* Ends it; when it returns, nothing of it runs. A zeroed one is left alone. */
void pprof_life_fini(struct pprof_life *life);

#endif
