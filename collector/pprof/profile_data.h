/* SPDX-License-Identifier: GPL-2.0 */
/* What a struct profile is made of, for the files that write it in some form. */
#ifndef COLLECTOR_PROFILEDATA_H
#define COLLECTOR_PROFILEDATA_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/sample_type.h"
#include "base/tuple_map.h"
#include "base/string_table.h"

/* An array that grows. All zero is an empty one. */
struct vec {
	void *items;
	size_t nr;
	size_t room;
};

/* Strings are indices of the string table from here on. */
struct value_type {
	int64_t type;
	int64_t unit;
};

struct mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	int64_t file;
	int64_t build_id;
	unsigned int flags;
};

/* A function is four numbers, so the map of stacks finds equal ones. */
enum function_part {
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILENAME,
	FUNCTION_START_LINE,
	FUNCTION_NR_PARTS,
};

struct location {
	uint64_t mapping_id;
	uint64_t address;
	size_t first_line;
	size_t nr_lines;
};

struct label {
	int64_t key;
	int64_t str;
	int64_t num;
	int64_t unit;
};

struct sample {
	int64_t values[PROFILE_MAX_VALUES];
	size_t first_id;
	size_t nr_ids;
	size_t first_label;
	size_t nr_labels;
};

struct profile {
	struct strtab *strings;
	struct value_type sample_types[PROFILE_MAX_VALUES];
	size_t nr_sample_types;
	struct value_type period_type;
	int64_t default_sample_type;
	int64_t period;
	int64_t time_ns;
	int64_t duration_ns;
	int64_t drop_frames;
	int64_t keep_frames;
	struct stacks *functions;
	struct vec mappings;	/* struct mapping */
	struct vec locations;	/* struct location */
	struct vec lines;	/* struct profile_line, of all locations */
	struct vec samples;	/* struct sample */
	struct vec ids;		/* uint64_t, location ids of all samples */
	struct vec labels;	/* struct label, of all samples */
	struct vec comments;	/* uint64_t */
	struct vec text;	/* char, the string that is being cleaned */
};

#endif /* COLLECTOR_PROFILEDATA_H */
