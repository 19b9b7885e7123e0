/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect check`: are profiles valid, and does a reader accept them? */
#ifndef COLLECTOR_CMD_CHECK_H
#define COLLECTOR_CMD_CHECK_H

#include <stdio.h>

struct file_settings;

/*
 * Prints a line for each finding: "ok", "warning" or "problem", the file, and the text.
 * Returns: 0; -EBADMSG if there is a problem; or another negative errno after it printed the cause.
 */
int cmd_check_run(const struct file_settings *s, FILE *out);

#endif /* COLLECTOR_CMD_CHECK_H */
