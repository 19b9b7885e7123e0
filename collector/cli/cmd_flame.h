/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect flame`: a profile as a flame graph. */
#ifndef COLLECTOR_CMD_FLAME_H
#define COLLECTOR_CMD_FLAME_H

#include <stddef.h>

struct cmd_flame {
	char *const *files;	/* profiles, which are added up; "-" is standard input */
	size_t nr_files;
	const char *output;	/* an SVG if it ends in .svg, else a page; "-" is standard output */
	const char *type;	/* a sample type's name; NULL: the profile's default */
};

/*
 * Reads the profiles and writes the graph, or no file at all.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int cmd_flame_run(const struct cmd_flame *c);

#endif /* COLLECTOR_CMD_FLAME_H */
