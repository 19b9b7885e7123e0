/* SPDX-License-Identifier: GPL-2.0 */
/* What a run ends with on the terminal. */
#ifndef COLLECTOR_SUMMARY_H
#define COLLECTOR_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "base/tuple_map.h"

struct kind;
struct values;

struct summary_input {
	const struct kind *kind;
	const struct stacks *stacks;	/* of locations' ids */
	const struct values *values;	/* of a kind that has them: each stack's */
	const double *over_values;	/* and those over --max-stacks, if there are any */
	struct locations *locations;
	const struct collect_counts *counts;
	const char *worst;	/* the file in which most stacks were truncated; NULL: none */
	uint64_t nr_worst;
	uint64_t lost;
	uint64_t duration_ns;
	const char *file;	/* "-": standard output */
};

/*
 * Prints totals, the ten hottest functions and how to open the file, which is
 * written. 0, or -ENOMEM and nothing but that.
 */
int summary_print(FILE *out, const struct summary_input *in);

#endif /* COLLECTOR_SUMMARY_H */
