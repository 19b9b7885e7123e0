/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef COLLECTOR_CONFIG_H
#define COLLECTOR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "session/settings.h"

enum config_command { CONFIG_PROFILE, CONFIG_AUDIT, CONFIG_STATUS, CONFIG_DOCTOR, CONFIG_CFI,
		      CONFIG_LIST };

struct config {
	enum config_command command;
	struct settings run;		/* profile: at least one pid, or all, or a program */

	/* audit; one pid at most, as for doctor; list takes one */
	bool stacks;
	bool json;
	const char *comm;

	/* cfi; at least one file */
	char **files;
	size_t nr_files;
	bool check;
};

/*
 * Reads the command line. Exits with a sentence on standard error and code 2
 * if it is wrong, with 0 after --help and --version. Strings are argv's.
 */
void config_parse(struct config *c, int argc, char **argv);
void config_fini(struct config *c);

#endif /* COLLECTOR_CONFIG_H */
