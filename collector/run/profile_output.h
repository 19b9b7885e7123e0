/* SPDX-License-Identifier: GPL-2.0 */
/* The content of an output file: what is counted for a profile type of a run. */
#ifndef COLLECTOR_PROFILE_OUTPUT_H
#define COLLECTOR_PROFILE_OUTPUT_H

#include <stdint.h>

#include "report/profile_comments.h"
#include "report/profile_export.h"

struct profile_run;
struct window_series;

struct profile_output {
	struct profile_comments comments;
	struct profile_export_input in;	/* points to comments and to parts of the run */
};

/* Returns the profile type PROFILE_TYPE_* of a run. It is valid as long as the run. */
const struct profile_type *profile_output_type(const struct profile_run *r, uint32_t profile_type);

/*
 * Fills o for a profile type. Call this after profile_run_count(), and after the last flush of the
 * aggregator. With a series, o has only its part of the samples: series is an index in the list of
 * s, or WINDOW_SERIES_REST. Samples without a stack are in the rest. s may be NULL: o has all.
 * o must not be copied: it points to itself.
 */
void profile_output_fill(struct profile_output *o, const struct profile_run *r,
			 uint32_t profile_type, const struct window_series *s, uint32_t series);

/* Prints what the profiles of a run lack, a line for each. */
void profile_output_warn(const struct profile_run *r);

#endif /* COLLECTOR_PROFILE_OUTPUT_H */
