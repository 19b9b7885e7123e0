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
 * Sets the begin of the run to begin_ns, by the clock of records (see procfs/time_namespace.h),
 * or to now if it is 0. Pass device_wall_begin_ns(): wall may begin long before its start returns.
 * The number of a thread's samples fits the length of the run only if both have the same begin.
 * Returns: the begin, by the clock of records.
 */
uint64_t time_span_begin(struct time_span *d, uint64_t begin_ns);

/*
 * Sets the end of the run in the same way.
 * Returns: the end, by the clock of records.
 */
uint64_t time_span_end(struct time_span *d, uint64_t end_ns);

#endif /* COLLECTOR_TIME_SPAN_H */
