/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect merge` and `pprof-collect diff`: a sum or a difference as a profile. */
#ifndef COLLECTOR_CMD_MERGE_H
#define COLLECTOR_CMD_MERGE_H

struct file_settings;

/*
 * Reads the profiles and writes their sum, less the bases.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int cmd_merge_run(const struct file_settings *s);

#endif /* COLLECTOR_CMD_MERGE_H */
