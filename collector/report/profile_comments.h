/* SPDX-License-Identifier: GPL-2.0 */
/* The comments of a profile: how far its counts and stacks can be trusted. */
#ifndef COLLECTOR_COMMENTS_H
#define COLLECTOR_COMMENTS_H

#include "aggregate/aggregator.h"

#define COMMENTS_MAX	24

struct comments {
	const char *list[COMMENTS_MAX + 1];	/* up to a NULL; point into text */
	char text[COMMENTS_MAX][128];
	int nr;
};

struct comments_input {
	const struct collect_counts *counts;
	uint64_t lost;		/* samples */
	uint64_t lost_lives;	/* records of mappings and processes */
	uint64_t lost_frees;	/* 0: a kind that knows nothing of them */
	uint64_t refused_tables;
	uint64_t unopened_files;
	uint64_t period_ns;	/* asked for; 0: a kind without time */
	uint64_t slowest_ns;	/* the longest that there was; not below */
};

/* How much was lost always; the others only if there is something to say. */
void comments_fill(struct comments *c, const struct comments_input *in);

#endif /* COLLECTOR_COMMENTS_H */
