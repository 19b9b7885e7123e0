/* SPDX-License-Identifier: GPL-2.0 */
/* The line on a terminal that tells how far a run is. */
#ifndef COLLECTOR_PROGRESS_H
#define COLLECTOR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: there is none yet. Times are of CLOCK_MONOTONIC. */
struct progress {
	uint64_t due_ns;
};

/* Once a second, where standard error is a terminal. */
bool progress_is_due(const struct progress *p, uint64_t now_ns);

/* Over the one that is there. */
void progress_show(struct progress *p, uint64_t now_ns, uint64_t begin_ns, uint64_t samples,
		   uint64_t lost);

/* The one that is there, if any, goes. */
void progress_clear(const struct progress *p);

#endif /* COLLECTOR_PROGRESS_H */
