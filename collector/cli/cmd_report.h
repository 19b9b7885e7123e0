/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect top` and the other commands that print a profile as text. */
#ifndef COLLECTOR_CMD_REPORT_H
#define COLLECTOR_CMD_REPORT_H

struct file_settings;

enum report_kind { REPORT_TOP, REPORT_TREE, REPORT_PEEK, REPORT_TRACES, REPORT_TAGS,
		   REPORT_COMMENTS, REPORT_RAW };

/*
 * Reads the profiles and prints the report.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int cmd_report_run(enum report_kind kind, const struct file_settings *s);

#endif /* COLLECTOR_CMD_REPORT_H */
