/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that all commands share that read profiles and write one result. The order is that of
 * run/privileges.h: the output is opened, rights are dropped, then the first profile is read. The
 * output file appears when it is complete. After an error there is none.
 */
#ifndef COLLECTOR_FILE_COMMAND_H
#define COLLECTOR_FILE_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/label_units.h"
#include "analysis/report.h"
#include "cli/file_filters.h"

struct file_settings;
struct model;
struct profile_fault;

/* The profiles that were read, as one model. */
struct file_input {
	struct model *model;
	/* The model, its sample type and the total of its values. */
	struct report report;
	/* The units of all labels. */
	struct label_units units;
	/* The texts to which report.filters points. */
	char *filters[FILE_FILTERS_MAX_TEXTS];
};

enum file_form {
	FILE_FORM_PROFILE,	/* gzip compresses it */
	FILE_FORM_PAGE,		/* a terminal cannot show it */
	FILE_FORM_TEXT,
	FILE_FORM_TABLE,	/* text whose lines are cut to the width of a terminal */
};

struct file_command {
	/* The name of the result, for messages: "graph". */
	const char *result;
	enum file_form form;
	/* Apply the filters of the settings. */
	bool has_filters;
	/* Accept profiles without samples or sample types. */
	bool takes_empty;
	/*
	 * Writes the result. It may change the model.
	 * Returns: 0; -EBADMSG with *fault; or another negative errno.
	 */
	int (*write)(const struct file_settings *s, const struct file_input *in, FILE *out,
		     struct profile_fault *fault);
	/* The result shows labels with numbers, so different units of one key are warned of. */
	bool shows_labels;
};

/* Returns: 0, or a negative errno after it printed the cause. */
int file_command_run(const struct file_command *c, const struct file_settings *s);

#endif /* COLLECTOR_FILE_COMMAND_H */
