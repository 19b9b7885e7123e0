/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of arguments that need no module: a wrong argument is reported before the module is. */
#ifndef COLLECTOR_CHECK_ARGUMENTS_H
#define COLLECTOR_CHECK_ARGUMENTS_H

struct options;

/*
 * Checks that the processes of --pid exist, and that the program after -- may be executed. Either
 * may change later, so the run checks both again. doctor reports a missing process itself.
 * Returns: 0, or -1 after it printed the cause.
 */
int check_arguments(const struct options *options);

#endif /* COLLECTOR_CHECK_ARGUMENTS_H */
