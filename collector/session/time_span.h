/* SPDX-License-Identifier: GPL-2.0 */
/* The time span of a run. */
#ifndef COLLECTOR_TIME_SPAN_H
#define COLLECTOR_TIME_SPAN_H

#include <stdint.h>

struct time_span {
	uint64_t begin_ns;	/* CLOCK_MONOTONIC of this process's time namespace */
	int64_t time_ns;	/* the same moment, in ns since the epoch */
	uint64_t ns;		/* length of the run */
};

/*
 * Sets the start of the run to begin_ns, by the clock of records (see procfs/time_namespace.h). If
 * begin_ns is 0, the start is now. Pass device_wall_begin_ns(): wall may begin long before the call
 * that starts it returns. Only with the same begin do the samples of a thread fit the length of the
 * run.
 * Returns: the start, by the clock of records.
 */
uint64_t time_span_begin(struct time_span *d, uint64_t begin_ns);

/*
 * Sets the end of the run in the same way.
 * Returns: the end, by the clock of records.
 */
uint64_t time_span_end(struct time_span *d, uint64_t end_ns);

/*
 * Sets the end to end_ns of CLOCK_MONOTONIC of this process's time namespace.
 * Returns: the end, by the clock of records.
 */
uint64_t time_span_cut(struct time_span *d, uint64_t end_ns);

/*
 * Begins the next span where this one has ended. The time since the epoch follows from the length.
 * Only if the clock was set, or the machine was suspended, it is that of the clock.
 */
void time_span_next(struct time_span *d);

#endif /* COLLECTOR_TIME_SPAN_H */
