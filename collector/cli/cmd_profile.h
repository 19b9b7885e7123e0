/* SPDX-License-Identifier: GPL-2.0 */
/* One profiling run: from the command line to the files. */
#ifndef COLLECTOR_RUN_H
#define COLLECTOR_RUN_H

struct settings;
struct program;

/*
 * Profiles until the time is over, the target has ended, or stop_fd is
 * readable, and writes what there is. 0, or -1 when the cause was printed on
 * standard error. Lets program go, if it is not NULL, and frees it.
 */
int run_profile(const struct settings *settings, int stop_fd, struct program *program);

#endif /* COLLECTOR_RUN_H */
