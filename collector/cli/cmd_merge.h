/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect merge`, `diff` and `filter`: commands that write a profile. */
#ifndef COLLECTOR_CMD_MERGE_H
#define COLLECTOR_CMD_MERGE_H

struct file_settings;

/*
 * Reads the profiles and writes their sum, less the bases.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int cmd_merge_run(const struct file_settings *s);

/* The same with the filters of the settings. */
int cmd_merge_run_filter(const struct file_settings *s);

#endif /* COLLECTOR_CMD_MERGE_H */
