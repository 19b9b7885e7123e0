/* SPDX-License-Identifier: GPL-2.0 */
/* The head of reports on a call graph: the profile, the filters, and what is left out. */
#ifndef COLLECTOR_ANALYSIS_GRAPH_HEAD_H
#define COLLECTOR_ANALYSIS_GRAPH_HEAD_H

#include <stdio.h>

struct graph;
struct graph_settings;
struct report;

/* Prints the head. r has the unit of the values. */
void graph_head_print(FILE *out, const struct graph *g, const struct report *r,
		      const struct graph_settings *s);

#endif /* COLLECTOR_ANALYSIS_GRAPH_HEAD_H */
