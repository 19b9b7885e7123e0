/* SPDX-License-Identifier: GPL-2.0 */
/* One profiling run: from the command line to the files. */
#ifndef COLLECTOR_RUN_H
#define COLLECTOR_RUN_H

struct config;
struct program_start;

/*
 * Profiles until the time is over, the target has ended, or stop_fd is
 * readable, and writes what there is. 0, or -1 when the cause was printed on
 * standard error. A program that it runs has what start says.
 */
int run_profile(const struct config *config, int stop_fd, const struct program_start *start);

#endif /* COLLECTOR_RUN_H */
