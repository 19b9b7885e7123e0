/* SPDX-License-Identifier: GPL-2.0 */
/* The result of the command line: the command and its settings. */
#ifndef COLLECTOR_OPTIONS_H
#define COLLECTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/file_settings.h"
#include "push/push_settings.h"
#include "serve/settings.h"
#include "session/settings.h"

enum options_command {
	OPTIONS_PROFILE, OPTIONS_AUDIT, OPTIONS_STATUS, OPTIONS_DOCTOR, OPTIONS_CFI, OPTIONS_LIST,
	OPTIONS_PUSH,
	OPTIONS_SERVE,
	OPTIONS_FLAME, OPTIONS_MERGE, OPTIONS_DIFF, OPTIONS_FILTER, OPTIONS_CONVERT, OPTIONS_CHECK,
	/* In the order of enum report_kind. */
	OPTIONS_TOP, OPTIONS_TREE, OPTIONS_PEEK, OPTIONS_TRACES, OPTIONS_TAGS, OPTIONS_COMMENTS,
	OPTIONS_RAW,
};

struct options {
	enum options_command command;

	/*
	 * For a profile: exactly one of pids, all, cgroup and program is set. Of the subcommands,
	 * audit and doctor have at most one pid, and list has exactly one. audit uses duration_ns,
	 * too. For serve: exactly one of pids, all and serve.comm is set.
	 */
	struct settings run;
	bool has_top;		/* --top was given */

	/* For audit. */
	bool stacks;		/* print the stack of the creator */
	bool json;
	const char *comm;	/* NULL: all names */

	/* For cfi. */
	struct path_list elf_files;	/* at least one */
	bool check;		/* compare with libdw */

	/* Where profiles are sent. */
	struct push_settings push;
	struct serve_settings serve;

	/* For commands that read profiles. */
	struct file_settings read;
	bool is_diff;		/* the first file of the command line is the base */
};

/* Sets all to the defaults. options_fini() frees what parsers add. */
void options_init(struct options *options, enum options_command command);

/* Frees the lists of pids and files. */
void options_fini(struct options *options);

/* Returns the subcommand of that name, or OPTIONS_PROFILE if there is none. */
enum options_command options_find_command(const char *keyword);

#endif /* COLLECTOR_OPTIONS_H */
