/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows the process events of a session's targets. It adds children to the targets, removes
 * processes that ended, and writes the events into the rings.
 */
#ifndef PPROF_PROCESS_EVENTS_H
#define PPROF_PROCESS_EVENTS_H

#include "record/mmap_events.h"
#include "record/record.h"

struct pprof_process_events {
	struct pprof_sink *sink;
	struct pprof_mmap_events *mmap_events;
	bool thread_ends;	/* also report threads that end */
};

/*
 * Begins to follow the targets of @sink. Also reports threads that end, if @thread_ends.
 * Returns: 0, -ENOMEM, or an error of kprobes or tracepoints: nothing is left running then.
 * Sleeps.
 */
int pprof_process_events_init(struct pprof_process_events *process_events, struct pprof_sink *sink,
			      bool thread_ends);

/*
 * Report that the process of @task has moved into the session's cgroup, and is a target now; or out
 * of it, and is no target any more. The caller has seen @task alive in this RCU read section.
 * Context: any but NMI.
 */
void pprof_process_events_enter(struct pprof_sink *sink, struct task_struct *task);
void pprof_process_events_leave(struct pprof_sink *sink, struct task_struct *task);

/*
 * Waits until the records of all past events are in the rings.
 * Sleeps.
 */
void pprof_process_events_flush(struct pprof_process_events *process_events);

/*
 * Removes all hooks. When it returns, none of them runs. A zeroed @process_events is left alone.
 * Sleeps.
 */
void pprof_process_events_fini(struct pprof_process_events *process_events);

#endif
