/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of the commands that read profiles. They have the names of go tool pprof, with one
 * dash or two.
 */
#ifndef COLLECTOR_OPTIONS_FILES_H
#define COLLECTOR_OPTIONS_FILES_H

#include <argp.h>

#include "cli/options.h"

/* For these parsers: the program's name and options may come in any order. */
#define OPTIONS_FILES_FLAGS	(ARGP_IN_ORDER | ARGP_LONG_ONLY)

/*
 * Returns the parser of a command that reads profiles, whose input is a struct options; or NULL
 * for other commands.
 */
const struct argp *options_files_argp(enum options_command command);

#endif /* COLLECTOR_OPTIONS_FILES_H */
