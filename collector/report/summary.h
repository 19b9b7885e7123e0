/* SPDX-License-Identifier: GPL-2.0 */
/* The summary that a run prints at its end. */
#ifndef COLLECTOR_SUMMARY_H
#define COLLECTOR_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "base/tuple_map.h"

struct profile_type;
struct stack_values;

struct summary_input {
	const struct profile_type *profile_type;	/* the profile type */
	const struct tuple_map *stacks;	/* tuples of location ids */
	const struct stack_values *values;	/* by stack, for a profile type with values */
	const double *over_values;	/* values of samples over --max-stacks; NULL: none */
	struct locations *locations;
	const struct aggregator_counts *counts;
	const char *worst;	/* file with the most truncated stacks; NULL: none */
	uint64_t nr_worst;	/* number of these stacks */
	uint64_t lost;		/* by the module */
	uint64_t duration_ns;
	const char *file;	/* name of the output; "-": standard output */
};

/*
 * Prints to out the totals, the ten hottest functions, and the command that opens the file. The
 * file is written already.
 * Returns: 0; or -ENOMEM, after an error message on out and nothing else.
 */
int summary_print(FILE *out, const struct summary_input *in);

#endif /* COLLECTOR_SUMMARY_H */
