/* SPDX-License-Identifier: GPL-2.0 */
/* Comments of a profile: how far its counts and stacks can be trusted. */
#ifndef COLLECTOR_COMMENTS_H
#define COLLECTOR_COMMENTS_H

#include "aggregate/aggregator.h"

#define COMMENTS_MAX	24

struct comments {
	const char *list[COMMENTS_MAX + 1];	/* pointers into text; the last one is NULL */
	char text[COMMENTS_MAX][128];
	int nr;					/* number of comments */
};

struct comments_input {
	const struct collect_counts *counts;
	uint64_t lost;		/* samples */
	uint64_t lost_lives;	/* process events */
	uint64_t lost_frees;	/* 0 for a profile type without frees */
	uint64_t refused_tables;
	uint64_t unopened_files;
	uint64_t period_ns;	/* as requested; 0 for a profile type without time */
	uint64_t slowest_ns;	/* longest period; at least period_ns */
};

/*
 * Fills c. The number of lost samples is always there; the other comments, only if their number
 * is not 0.
 */
void comments_fill(struct comments *c, const struct comments_input *in);

#endif /* COLLECTOR_COMMENTS_H */
