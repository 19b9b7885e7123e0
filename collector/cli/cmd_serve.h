/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect serve`: profiles of running programs by HTTP, as Go's net/http/pprof has them. */
#ifndef COLLECTOR_CMD_SERVE_H
#define COLLECTOR_CMD_SERVE_H

struct serve_settings;
struct settings;

/*
 * Serves until stop_fd (see base/stop_signals.h) is readable.
 * Returns: 0, or -1 after it printed the cause.
 */
int cmd_serve_run(const struct settings *settings, const struct serve_settings *serve, int stop_fd);

#endif /* COLLECTOR_CMD_SERVE_H */
