/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect profile`: one profiling run. */
#ifndef COLLECTOR_RUN_H
#define COLLECTOR_RUN_H

struct command;
struct push_settings;
struct settings;

/*
 * Profiles until the duration is over, all targets have ended, or stop_fd is readable. Then
 * writes the profiles, and sends them to the backends of push, if there are any. If program is not
 * NULL, lets it execute after the sources have started, and calls command_free() at the end.
 * Returns: 0, or -1 after an error message on standard error.
 */
int run_profile(const struct settings *settings, const struct push_settings *push, int stop_fd,
		struct command *program);

#endif /* COLLECTOR_RUN_H */
