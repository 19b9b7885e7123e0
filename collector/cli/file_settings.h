/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_FILE_SETTINGS_H
#define COLLECTOR_FILE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "pprof/merge.h"
#include "pprof/reader_rules.h"

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
	/* For check. */
	enum reader reader;
};

#endif /* COLLECTOR_FILE_SETTINGS_H */
