/* SPDX-License-Identifier: GPL-2.0 */
/* The summary that a run prints at its end. */
#ifndef COLLECTOR_SUMMARY_H
#define COLLECTOR_SUMMARY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/aggregator.h"

struct model;
struct profile_type;

struct summary_input {
	const struct profile_type *profile_type;
	struct model *model;	/* the profile, which summary_print() changes */
	size_t nr_functions;	/* to print; 0: all */
	size_t nr_stacks;
	const struct aggregator_counts *counts;
	const char *worst;	/* file with the most truncated stacks; NULL: none */
	uint64_t nr_worst;	/* number of these stacks */
	uint64_t lost;		/* by the module */
	uint64_t duration_ns;
	const char *file;	/* name of the output; "-": standard output */
};

/*
 * Prints to out the totals, what top prints of the profile, and the command that opens the file.
 * The file is written already. Names of functions are printed with all of their bytes.
 * Returns: 0, or -ENOMEM after an error message on out.
 */
int summary_print(FILE *out, const struct summary_input *in);

#endif /* COLLECTOR_SUMMARY_H */
