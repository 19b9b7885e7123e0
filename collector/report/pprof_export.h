/* SPDX-License-Identifier: GPL-2.0 */
/* Writes counted stacks of locations as a pprof profile, or as text. */
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

/* The input. All is borrowed. */
struct export_input {
	const struct kind *kind;	/* the profile type */
	struct files *files;
	struct locations *locations;
	struct labels *labels;
	const struct stacks *stacks;	/* tuples of location ids; the tag is the label set */
	const struct values *values;	/* by stack, for a profile type with values */
	/* Mapping of the main program, which comes first; negative: none. */
	int64_t exe_mapping;
	uint64_t period_ns;		/* time of a count of 1, for a profile type with time */
	/* Period of dev_start(), for a profile type with a rate. */
	uint64_t rate;
	uint64_t slowest_ns;		/* longest time between two samples; these count more */
	int64_t time_ns;		/* begin of the run, in ns since the epoch */
	int64_t duration_ns;
	uint64_t lost;			/* by the module, in the unit of the source's counters */
	/*
	 * Part of lost: events that the module dropped before it chose the sampled ones. Each
	 * counts as one.
	 */
	uint64_t lost_early;
	uint64_t over_max;		/* samples over --max-stacks */
	const double *over_values;	/* values of over_max, for a profile type with values */
	const char *const *comments;	/* the last one is NULL */
	const char *drop_frames;	/* NULL: those of the profile type */
	const char *keep_frames;	/* NULL: none */
	bool text;			/* text instead of a pprof profile */
	pid_t pid;			/* process whose resource usage a text shows; 0: none */
};

/*
 * Writes the profile to gz. The caller commits or aborts gz. Prints no message.
 * Returns: 0, or a negative errno.
 */
int export_write(const struct export_input *in, struct gzout *gz);

#endif /* COLLECTOR_EXPORT_H */
