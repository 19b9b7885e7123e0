/* SPDX-License-Identifier: GPL-2.0 */
/* Writes counted stacks of named places as a pprof profile, or as text. */
#ifndef COLLECTOR_EXPORT_H
#define COLLECTOR_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/mapped_files.h"
#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "base/tuple_map.h"

struct gzout;
struct kind;
struct values;

/* All borrowed. */
struct export_input {
	const struct kind *kind;
	struct files *files;
	struct locations *locations;
	struct labels *labels;
	const struct stacks *stacks;	/* of locations' ids; the tag is the labels' */
	const struct values *values;	/* of a kind that has them: each stack's */
	int64_t exe_mapping;		/* readers take the first for it; negative: none */
	uint64_t period_ns;		/* of a kind with time: what a count of 1 stands for */
	uint64_t rate;			/* of a kind with one */
	uint64_t slowest_ns;		/* longest time between samples, which then count more */
	int64_t time_ns;		/* the beginning, since the epoch */
	int64_t duration_ns;
	uint64_t lost;			/* by the module */
	uint64_t lost_early;		/* of lost: before it was known which are sampled */
	uint64_t over_max;		/* by --max-stacks */
	const double *over_values;	/* of a kind that has them: those of over_max */
	const char *const *comments;	/* ended by a NULL */
	const char *drop_frames;	/* NULL: the kind's */
	const char *keep_frames;	/* NULL: none */
	bool text;
	pid_t pid;			/* whose figures text shows; 0: nobody's */
};

/* Writes it; the caller commits or aborts gz. 0 or a negative errno. */
int export_write(const struct export_input *in, struct gzout *gz);

#endif /* COLLECTOR_EXPORT_H */
