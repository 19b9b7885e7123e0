/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect profile`: one profiling run. */
#ifndef COLLECTOR_RUN_H
#define COLLECTOR_RUN_H

struct settings;
struct program;

/*
 * Profiles until the duration is over, all targets have ended, or stop_fd is readable. Then
 * writes the profiles. If program is not NULL, releases it after the sources have started, and
 * frees it.
 * Returns: 0, or -1 after an error message on standard error.
 */
int run_profile(const struct settings *settings, int stop_fd, struct program *program);

#endif /* COLLECTOR_RUN_H */
