/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of all commands that read profiles and write one result. The order is that of
 * cli/privileges.h: the output is opened, rights are dropped, then the first profile is read. The
 * output appears when it is complete; after an error there is none.
 */
#ifndef COLLECTOR_FILE_COMMAND_H
#define COLLECTOR_FILE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct file_settings;
struct model;

struct file_command {
	/* What the command writes, for messages: "graph". */
	const char *result;
	/* The result is compressed by gzip. */
	bool is_gzipped;
	/*
	 * Writes the result of a profile that has samples. type is the sample type that the
	 * settings name, or the default.
	 * Returns: 0, or a negative errno.
	 */
	int (*write)(const struct file_settings *s, struct model *m, size_t type, FILE *out);
};

/* Returns: 0, or a negative errno after it printed the cause. */
int file_command_run(const struct file_command *c, const struct file_settings *s);

#endif /* COLLECTOR_FILE_COMMAND_H */
