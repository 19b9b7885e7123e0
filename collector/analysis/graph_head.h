/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The head of reports on a call graph: the profile, the filters, and how much is left out. And the
 * first columns of a node in such a report.
 */
#ifndef COLLECTOR_ANALYSIS_GRAPH_HEAD_H
#define COLLECTOR_ANALYSIS_GRAPH_HEAD_H

#include <stdint.h>
#include <stdio.h>

struct graph;
struct graph_node;
struct graph_settings;
struct report;

/* The titles of the columns that graph_head_print_values() prints. */
#define GRAPH_HEAD_TITLES	"      flat  flat%   sum%        cum   cum%"

/* Prints the head. r has the unit of the values. */
void graph_head_print(FILE *out, const struct graph *g, const struct report *r,
		      const struct graph_settings *s);

/*
 * Prints the own value and the cumulative value of a node, with their percentages of the total. sum
 * is the sum of the own values up to this node. r has the unit of the values.
 */
void graph_head_print_values(FILE *out, const struct report *r, const struct graph_node *n,
			     int64_t sum);

#endif /* COLLECTOR_ANALYSIS_GRAPH_HEAD_H */
