/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect convert`: a profile in another format. */
#ifndef COLLECTOR_CMD_CONVERT_H
#define COLLECTOR_CMD_CONVERT_H

struct file_settings;

/*
 * Reads the profiles and writes them in the format of the settings.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int cmd_convert_run(const struct file_settings *s);

#endif /* COLLECTOR_CMD_CONVERT_H */
