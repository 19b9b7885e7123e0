/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a profile with their callers and callees, as go tool pprof -tree prints them. */
#ifndef COLLECTOR_ANALYSIS_TREE_H
#define COLLECTOR_ANALYSIS_TREE_H

#include <stdio.h>

struct graph_settings;
struct regex;
struct report;

/*
 * Prints a head, and a block for each listed node: its callers, the node, its callees. With peek,
 * only nodes are printed whose text matches. go tool pprof -peek sets no limit of nodes and edges.
 * Write errors are left in out, for ferror().
 * Returns: 0; -ENOENT if no node matches; or another negative errno. Nothing was printed then.
 */
int tree_print(FILE *out, const struct report *r, const struct graph_settings *s,
	       struct regex *peek);

#endif /* COLLECTOR_ANALYSIS_TREE_H */
