/* SPDX-License-Identifier: GPL-2.0 */
/* The inside of a struct profile, for the files that write it in some format. */
#ifndef COLLECTOR_PROFILE_DATA_H
#define COLLECTOR_PROFILE_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/sample_type.h"
#include "base/tuple_map.h"
#include "base/string_table.h"

/* An array that grows. All zeroes is an empty one. */
struct profile_data_vec {
	void *items;
	size_t nr;
	size_t room;
};

/* In the structs below, a string is an index in the profile's string table. */
struct profile_data_value_type {
	int64_t type;
	int64_t unit;
};

struct profile_data_mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	int64_t file;
	int64_t build_id;
	unsigned int flags;
};

/* A function is a tuple of four numbers, so that the tuple map finds equal ones. */
enum function_part {
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILENAME,
	FUNCTION_START_LINE,
	FUNCTION_NR_PARTS,
};

/* first_line and nr_lines select the location's part of profile.lines. */
struct profile_data_location {
	uint64_t mapping_id;
	uint64_t address;
	size_t first_line;
	size_t nr_lines;
};

/* str is 0 if the label is a number. */
struct profile_data_label {
	int64_t key;
	int64_t str;
	int64_t num;
	int64_t unit;
};

/*
 * first_id and nr_ids select the sample's part of profile.ids; first_label and nr_labels, of
 * profile.labels.
 */
struct profile_data_sample {
	int64_t values[PROFILE_MAX_VALUES];
	size_t first_id;
	size_t nr_ids;
	size_t first_label;
	size_t nr_labels;
};

struct profile {
	struct strtab *strings;
	struct profile_data_value_type sample_types[PROFILE_MAX_VALUES];
	size_t nr_sample_types;
	struct profile_data_value_type period_type;
	int64_t default_sample_type;
	int64_t period;
	int64_t time_ns;
	int64_t duration_ns;
	int64_t drop_frames;
	int64_t keep_frames;
	/* Tuples of FUNCTION_NR_PARTS numbers; a function's id is the tuple's id + 1. */
	struct tuple_map *functions;
	struct profile_data_vec mappings;	/* struct profile_data_mapping */
	struct profile_data_vec locations;	/* struct profile_data_location */
	struct profile_data_vec lines;	/* struct profile_line of all locations */
	struct profile_data_vec samples;	/* struct profile_data_sample */
	struct profile_data_vec ids;		/* uint64_t: location ids of all samples */
	struct profile_data_vec labels;	/* struct profile_data_label of all samples */
	struct profile_data_vec comments;	/* uint64_t: strings */
	struct profile_data_vec text;	/* char: a string while it is made valid UTF-8 */
};

/* Returns the mapping with this id, which is not 0. */
static inline const struct profile_data_mapping *profile_data_mapping_at(const struct profile *p,
									 uint64_t id)
{
	return (const struct profile_data_mapping *)p->mappings.items + id - 1;
}

/* Returns the location with this id, which is not 0. */
static inline const struct profile_data_location *profile_data_location_at(const struct profile *p,
									   uint64_t id)
{
	return (const struct profile_data_location *)p->locations.items + id - 1;
}

/* Returns a string by its index. */
static inline const char *profile_data_string(const struct profile *p, int64_t index)
{
	return strtab_at(p->strings, index);
}

#endif /* COLLECTOR_PROFILE_DATA_H */
