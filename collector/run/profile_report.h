/* SPDX-License-Identifier: GPL-2.0 */
/* A run shows its profiles at its end: a summary, and a flame graph. */
#ifndef COLLECTOR_PROFILE_REPORT_H
#define COLLECTOR_PROFILE_REPORT_H

struct gzip_file;
struct model;
struct summary_input;

/*
 * Prints the summary on standard error, as run/terminal_text.h prints text.
 * Returns: 0, or -ENOMEM after it printed the cause.
 */
int profile_report_print(const struct summary_input *in);

/*
 * Writes the flame graph of a model to gz, and ends gz, also after an error. path is the name of
 * the graph, and profile that of the profile.
 * Returns: 0, or -1 after it printed the cause.
 */
int profile_report_draw(struct gzip_file *gz, const struct model *m, const char *path,
			char *profile);

#endif /* COLLECTOR_PROFILE_REPORT_H */
