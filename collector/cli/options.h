/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef COLLECTOR_OPTIONS_H
#define COLLECTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/*
 * Reads the command line into c. The strings belong to argv. If the command line is wrong,
 * prints a message on standard error and exits with code 2. Exits with 0 after --help and
 * --version.
 */
void options_parse(struct options *c, int argc, char **argv);

/* Frees the lists of pids and files. */
void options_fini(struct options *c);

#endif /* COLLECTOR_OPTIONS_H */
