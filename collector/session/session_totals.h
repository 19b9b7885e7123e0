/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of all sessions of a server. Its processes share them. */
#ifndef COLLECTOR_SESSION_TOTALS_H
#define COLLECTOR_SESSION_TOTALS_H

#include <stdint.h>

#include "pprof.h"

struct aggregator;
struct device;

struct session_totals {
	uint64_t samples[PPROF_NR_SOURCES];	/* by PPROF_SOURCE_*; the unit is their weight */
	uint64_t truncated[PPROF_NR_END_REASONS];	/* of samples: by PPROF_END_* */
	uint64_t lost[PPROF_NR_CLASSES];	/* by PPROF_SOURCE_* or PPROF_CLASS_* */
};

/*
 * Makes counters that this process and its later children share.
 * Returns: the counters, at 0, which stay until the process ends; or NULL with errno ENOMEM.
 */
struct session_totals *session_totals_new(void);

/* This process only reads them from now on. */
void session_totals_seal(struct session_totals *t);

/*
 * Adds what a session has counted since the last call. before is that of the last call, at first
 * all zeroes. Several processes may add to t at once.
 */
void session_totals_add(struct session_totals *t, struct session_totals *before,
			const struct aggregator *a, const struct device *d);

#endif /* COLLECTOR_SESSION_TOTALS_H */
