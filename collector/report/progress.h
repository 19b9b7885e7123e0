/* SPDX-License-Identifier: GPL-2.0 */
/* The progress line of a run, on a terminal. */
#ifndef COLLECTOR_PROGRESS_H
#define COLLECTOR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* All zeroes: no line was printed yet. Times are of CLOCK_MONOTONIC. */
struct progress {
	uint64_t due_ns;	/* time of the next line */
};

/* Is a new line due? It is once a second, if standard error is a terminal. */
bool progress_is_due(const struct progress *p, uint64_t now_ns);

/* Prints the line on standard error, over the one before. */
void progress_show(struct progress *p, uint64_t now_ns, uint64_t begin_ns, uint64_t samples,
		   uint64_t lost);

/* Removes the line, if there is one. */
void progress_clear(const struct progress *p);

#endif /* COLLECTOR_PROGRESS_H */
