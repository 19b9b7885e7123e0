/* SPDX-License-Identifier: GPL-2.0 */
/* The result of the command line: the command and its settings. */
#ifndef COLLECTOR_OPTIONS_H
#define COLLECTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "session/settings.h"

enum options_command { OPTIONS_PROFILE, OPTIONS_AUDIT, OPTIONS_STATUS, OPTIONS_DOCTOR, OPTIONS_CFI,
		      OPTIONS_LIST };

struct options {
	enum options_command command;
	struct settings run;		/* of profile: at least one pid, or all, or a program */

	/*
	 * Of audit. run.pids has at most one pid for audit and doctor, and exactly one for list.
	 */
	bool stacks;
	bool json;
	const char *comm;

	/* Of cfi: at least one file. */
	char **files;
	size_t nr_files;
	bool check;
};

/* Sets all to the defaults. options_fini() frees what parsers add. */
void options_init(struct options *c, enum options_command command);

/* Frees the lists of pids and files. */
void options_fini(struct options *c);

/* Returns the subcommand of that name, or OPTIONS_PROFILE if there is none. */
enum options_command options_find_command(const char *keyword);

#endif /* COLLECTOR_OPTIONS_H */
