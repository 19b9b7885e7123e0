/* SPDX-License-Identifier: GPL-2.0 */
/* The command line as a whole: picks the subcommand and its parser. */
#ifndef COLLECTOR_COMMAND_LINE_H
#define COLLECTOR_COMMAND_LINE_H

#include "cli/options.h"

/*
 * Reads the command line into options. options_fini() frees its lists. The strings belong to argv.
 * Overwrites argv[1] if it names a subcommand. If the command line is wrong, prints a message on
 * standard error and exits with code 2. Exits with 0 after --help and --version.
 */
void command_line_parse(struct options *options, int argc, char **argv);

#endif /* COLLECTOR_COMMAND_LINE_H */
