/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of all sessions of a server, in memory that all of its processes share. */
#ifndef COLLECTOR_SESSION_TOTALS_H
#define COLLECTOR_SESSION_TOTALS_H

#include <stdint.h>

#include "pprof.h"

struct aggregator;
struct device;

struct session_totals {
	uint64_t samples[PPROF_NR_SOURCES];	/* their weights, by PPROF_SOURCE_* */
	uint64_t truncated[PPROF_NR_END_REASONS];	/* weights of samples, by PPROF_END_* */
	uint64_t lost[PPROF_NR_CLASSES];	/* records, by PPROF_SOURCE_* or PPROF_CLASS_* */
};

/*
 * Makes counters that this process shares with children that it forks later.
 * Returns: the counters, all 0, which are never freed; or NULL with errno ENOMEM.
 */
struct session_totals *session_totals_new(void);

/* Makes t read-only in this process. Its children can still write to it. */
void session_totals_seal(struct session_totals *t);

/*
 * Adds what the session of a and d has counted since the last call. *before has the counts of that
 * call, and is updated. It belongs to the session, and is all zeroes at first. Several processes
 * may add to t at once.
 */
void session_totals_add(struct session_totals *t, struct session_totals *before,
			const struct aggregator *a, const struct device *d);

#endif /* COLLECTOR_SESSION_TOTALS_H */
