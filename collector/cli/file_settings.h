/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_FILE_SETTINGS_H
#define COLLECTOR_FILE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/filter.h"
#include "analysis/granularity.h"
#include "analysis/graph.h"
#include "pprof/merge.h"
#include "pprof/reader_rules.h"

struct regex;

/* File names of a command line, which belong to argv. free() frees the items. */
struct path_list {
	char **items;
	size_t nr;
	size_t room;
};

/* The settings of a command that reads profiles. A command uses those that it has options for. */
struct file_settings {
	/* Profiles that are added up: at least one. "-" is standard input. */
	struct path_list files;
	/* Profiles that are subtracted. */
	struct path_list bases;
	/* MERGE_BASE or MERGE_DIFF_BASE. */
	enum merge_sign base_sign;
	/* Scale the files so that their sums are those of the bases. */
	bool normalize;
	/* Standard output if it is "-" or NULL. */
	const char *output;
	/* The name of a sample type; NULL: the profile's default. */
	const char *type;
	/* The unit of printed values; NULL: one that fits them. */
	const char *unit;
	/* Divide each value by that of the first sample type. */
	bool is_mean;
	/* Divide all printed values by this; 0: do not. */
	double divisor;
	/* 100 % is the total of the samples that the filters leave. */
	bool is_relative;
	struct granularity_settings frames;
	struct graph_settings graph;
	/* No limits of graph, whatever they are. */
	bool is_whole;
	struct filter_settings filters;
	/* The compiled filters. Owned: filter_free() frees them. */
	struct filter *filter;
	/* For peek. Owned: regex_free() frees it. */
	struct regex *peek;
	/* For convert: a name that formats_find() finds. */
	const char *format;
	/* For check. */
	enum reader reader;
};

#endif /* COLLECTOR_FILE_SETTINGS_H */
