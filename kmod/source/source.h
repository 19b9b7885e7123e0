/* SPDX-License-Identifier: GPL-2.0 */
/* What a session knows of a source, and a source of a session: nothing more. */
#ifndef PPROF_SOURCE_H
#define PPROF_SOURCE_H

#include "record/record.h"

struct pprof_source {
	/*
	 * Starts to feed @sink and gives what stop() gets; @period as in struct
	 * pprof_start. May sleep, the session's mutex is held. -EINVAL for a
	 * period out of range.
	 */
	int (*start)(struct pprof_sink *sink, u64 period, void **state);
	/*
	 * Writes what it owes at its end, and starts nothing any more: 0; -EAGAIN, to be
	 * called again when the rings have been read; -ENOMEM. May sleep. NULL: it owes
	 * nothing.
	 */
	int (*finish)(void *state);
	/*
	 * When it returns, nothing of @state runs or will run, and it is
	 * freed. May sleep.
	 */
	void (*stop)(void *state);
};

extern const struct pprof_source pprof_src_cpu;
extern const struct pprof_source pprof_src_thread;
extern const struct pprof_source pprof_src_wall;
extern const struct pprof_source pprof_src_block;
extern const struct pprof_source pprof_src_mutex;
extern const struct pprof_source pprof_src_growth;
extern const struct pprof_source pprof_src_heap;

/* CPUs come and go: the source cpu wants to know. May sleep. */
int pprof_src_cpu_init(void);
void pprof_src_cpu_exit(void);

#endif
