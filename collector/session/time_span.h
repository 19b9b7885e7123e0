/* SPDX-License-Identifier: GPL-2.0 */
/* Since when, and for how long, a run counts. */
#ifndef COLLECTOR_DURATION_H
#define COLLECTOR_DURATION_H

#include <stdint.h>

struct duration {
	uint64_t begin_ns;	/* CLOCK_MONOTONIC, as it shows here */
	int64_t time_ns;	/* the same, since the epoch */
	uint64_t ns;
};

/*
 * It begins at a moment of the records' clock, which see procfs/time_namespace.h; 0: now.
 * So does wall, which may have begun long before its start returned: where each thread's
 * samples are to be as many as it is long, both must mean the same span. Returns when, by
 * that clock.
 */
uint64_t duration_begin(struct duration *d, uint64_t begin_ns);

/* It ends, likewise; 0: now. Returns when, by the records' clock. */
uint64_t duration_end(struct duration *d, uint64_t end_ns);

#endif /* COLLECTOR_DURATION_H */
