/* SPDX-License-Identifier: GPL-2.0 */
/* The inside of a struct profile, for the files that write it in some format. */
#ifndef COLLECTOR_PROFILE_DATA_H
#define COLLECTOR_PROFILE_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/sample_type.h"
#include "base/tuple_map.h"
#include "base/string_table.h"

struct profile_line;

/* Declares an array that array_grow() grows (base/array.h). All zeroes is an empty one. */
#define PROFILE_DATA_ARRAY(type, name)	\
	struct {			\
		type *items;		\
		size_t nr;		\
		size_t room;		\
	} name

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

/* The numbers of a function in the tuple map, which finds equal functions. */
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
	/* A tuple is a function: FUNCTION_NR_PARTS numbers. Its id is the id of the tuple + 1. */
	struct tuple_map *functions;
	/* The id of a mapping or a location is its index + 1. */
	PROFILE_DATA_ARRAY(struct profile_data_mapping, mappings);
	PROFILE_DATA_ARRAY(struct profile_data_location, locations);
	/* The lines of all locations. */
	PROFILE_DATA_ARRAY(struct profile_line, lines);
	PROFILE_DATA_ARRAY(struct profile_data_sample, samples);
	/* The location ids of all samples. */
	PROFILE_DATA_ARRAY(uint64_t, ids);
	/* The labels of all samples. */
	PROFILE_DATA_ARRAY(struct profile_data_label, labels);
	/* Strings. */
	PROFILE_DATA_ARRAY(uint64_t, comments);
	/* Room to make one string valid UTF-8. */
	char *text;
	size_t text_room;
};

/* Returns the mapping with this id, which is not 0. */
static inline const struct profile_data_mapping *profile_data_mapping_at(const struct profile *p,
									 uint64_t id)
{
	return &p->mappings.items[id - 1];
}

/* Returns the location with this id, which is not 0. */
static inline const struct profile_data_location *profile_data_location_at(const struct profile *p,
									   uint64_t id)
{
	return &p->locations.items[id - 1];
}

/* Returns a string by its index. */
static inline const char *profile_data_string(const struct profile *p, int64_t index)
{
	return strtab_at(p->strings, index);
}

#endif /* COLLECTOR_PROFILE_DATA_H */
