/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a profile with their values, as go tool pprof -top prints them. */
#ifndef COLLECTOR_ANALYSIS_TOP_H
#define COLLECTOR_ANALYSIS_TOP_H

#include <stdio.h>

struct graph_settings;
struct report;

/*
 * Prints a head, and a line for each listed node: the own value and the cumulative one, with their
 * percentages of the total. Write errors are left in out, for ferror().
 * Returns: 0, or a negative errno; nothing was printed then.
 */
int top_print(FILE *out, const struct report *r, const struct graph_settings *s);

#endif /* COLLECTOR_ANALYSIS_TOP_H */
