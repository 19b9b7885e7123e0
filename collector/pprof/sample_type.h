/* SPDX-License-Identifier: GPL-2.0 */
/* The sample types of a profile that a run makes. */
#ifndef COLLECTOR_SAMPLE_TYPE_H
#define COLLECTOR_SAMPLE_TYPE_H

#include <stddef.h>

#define PROFILE_MAX_VALUES	4

struct profile_value_type {
	const char *type;	/* "cpu" */
	const char *unit;	/* "nanoseconds" */
};

/* The names and units of a profile type. */
struct profile_sample_types {
	struct profile_value_type sample_types[PROFILE_MAX_VALUES];
	size_t nr_sample_types;
	struct profile_value_type period_type;
	const char *default_sample_type;	/* NULL: readers show the last one */
};

#endif /* COLLECTOR_SAMPLE_TYPE_H */
