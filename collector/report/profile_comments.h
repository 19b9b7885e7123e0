/* SPDX-License-Identifier: GPL-2.0 */
/* Comments of a profile: how far its counts and stacks can be trusted. */
#ifndef COLLECTOR_PROFILE_COMMENTS_H
#define COLLECTOR_PROFILE_COMMENTS_H

#include "aggregate/aggregator.h"

#define PROFILE_COMMENTS_MAX	32

struct profile_comments {
	const char *list[PROFILE_COMMENTS_MAX + 1]; /* pointers into text; the last one is NULL */
	char text[PROFILE_COMMENTS_MAX][128];
	int nr;					/* number of comments */
};

struct profile_comments_input {
	const struct aggregator_counts *counts;
	uint64_t lost;		/* samples */
	uint64_t lost_events;	/* process events */
	uint64_t lost_frees;	/* 0 for a profile type without frees */
	uint64_t nr_rest;	/* series of the file beyond their limit: see window_series.h */
	uint64_t refused_tables;
	uint64_t unopened_files;
	uint64_t period_ns;	/* as requested; 0 for a profile type without time */
	uint64_t slowest_ns;	/* longest period; at least period_ns */
};

/*
 * Fills c. The number of lost samples is always there; the other comments, only if their number
 * is not 0.
 */
void profile_comments_fill(struct profile_comments *c, const struct profile_comments_input *in);

#endif /* COLLECTOR_PROFILE_COMMENTS_H */
