/* SPDX-License-Identifier: GPL-2.0 */
/* Writes counted stacks of locations as a pprof profile, or as text. */
#ifndef COLLECTOR_PROFILE_EXPORT_H
#define COLLECTOR_PROFILE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/mapped_files.h"
#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "base/tuple_map.h"

struct gzip_file;
struct profile;
struct profile_type;
struct stack_values;

/* The input. All is borrowed. */
struct profile_export_input {
	const struct profile_type *profile_type;
	struct mapped_files *files;
	struct locations *locations;
	struct label_sets *labels;
	const struct tuple_map *stacks;	/* tuples of location ids; the tag is the label set */
	/*
	 * The series of a label set, by its number, and the one to export: see window_series.h.
	 * NULL: all stacks.
	 */
	const uint32_t *series_of;
	uint32_t series;
	const struct stack_values *values;	/* by stack, for a profile type with values */
	/* Mapping of the main program, which comes first; negative: none. */
	int64_t exe_mapping;
	uint64_t period_ns;		/* time of a count of 1, for a profile type with time */
	/* Period of device_start(), for a profile type with a rate. */
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
 * Builds the profile. profile_free() frees *out.
 * Returns: 0, or a negative errno.
 */
int profile_export_build(const struct profile_export_input *in, struct profile **out);

/*
 * Writes a profile that was built from in to gz. May sort it. The caller commits or aborts gz.
 * Prints no message.
 * Returns: 0, or a negative errno.
 */
int profile_export_put(const struct profile_export_input *in, struct profile *p,
		       struct gzip_file *gz);

/*
 * Builds the profile, writes it to gz and frees it. The caller commits or aborts gz. Prints no
 * message.
 * Returns: 0, or a negative errno.
 */
int profile_export_write(const struct profile_export_input *in, struct gzip_file *gz);

#endif /* COLLECTOR_PROFILE_EXPORT_H */
