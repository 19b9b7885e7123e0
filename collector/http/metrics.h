/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics of the server, in the text format of Prometheus. */
#ifndef COLLECTOR_HTTP_METRICS_H
#define COLLECTOR_HTTP_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "session/session_totals.h"

#define METRICS_CONTENT_TYPE	"text/plain; version=0.0.4; charset=utf-8"

/* How a piece of work has ended: a profile, a list of profiles, or symbols. */
enum metrics_result {
	METRICS_DONE,
	METRICS_FAILED,
	METRICS_GONE,		/* the client has gone */
	METRICS_BUSY,		/* refused: too much was running */
	METRICS_NR_RESULTS
};

struct metrics {
	uint64_t answers[6];	/* by the first digit of the status; others count at 0 */
	uint64_t work[METRICS_NR_RESULTS];
	uint64_t nr_running;	/* pieces of work that have not ended */
	uint64_t nr_connections;	/* open now */
	/* CPU time of all processes of the server, and of those that have ended. */
	double user_seconds;
	double system_seconds;
	uint64_t resident_bytes;	/* of the process that speaks HTTP */
	uint64_t private_bytes;		/* of all processes of the server */
	bool is_loaded;			/* the module */
	struct session_totals sessions;
};

/* Writes the metrics. Write errors are left in out. */
void metrics_write(FILE *out, const struct metrics *m);

#endif /* COLLECTOR_HTTP_METRICS_H */
