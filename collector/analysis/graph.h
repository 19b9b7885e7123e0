/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call graph of a profile: which functions call each other, and the values of both. The rules
 * are those of Go's pprof:
 *
 * - Frames that look the same in the model are one node: names, file, line and address. So the
 *   granularity is applied to the model before (analysis/granularity.h).
 * - A sample counts once for each node and each edge of its stack, also in a recursion.
 * - A node below a limit is left out, and then a limited number of nodes stays. Callers and callees
 *   of a node that was left out have an edge to each other.
 *
 * The graph is built from distinct stacks, and takes time in proportion to their frames.
 */
#ifndef COLLECTOR_ANALYSIS_GRAPH_H
#define COLLECTOR_ANALYSIS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report;

struct graph_settings {
	bool is_by_cum;		/* sorts by the cumulative value, not by the own one */
	bool drops_negative;	/* leaves out nodes whose value is negative */
	size_t max_nodes;	/* 0: no limit */
	/* Limits in parts of the sum of all own values; 0: no limit. */
	double node_fraction;
	double edge_fraction;
	bool is_compact;	/* the head has no lines about the profile */
	/* Prefixes that files lose, with ":" between them; NULL: frame_table_init()'s only. */
	const char *trim_path;
};

/* The settings of go tool pprof, for top. tree has at most 80 nodes. */
#define GRAPH_TOP_SETTINGS	{ .node_fraction = 0.005, .edge_fraction = 0.001 }
#define GRAPH_TREE_MAX_NODES	80

struct graph_node {
	/* The name that reports print, with an address and a position if the model has them. */
	const char *text;
	size_t text_len;
	/* The sums of the report's type, and those of the first type. */
	int64_t flat;
	int64_t flat_divisor;
	int64_t cum;
	int64_t cum_divisor;
	/* It is in graph.listed. */
	bool is_listed;
};

struct graph_edge {
	uint32_t caller;	/* a node */
	uint32_t callee;	/* a node */
	int64_t weight;
	bool is_inlined;	/* each call is inlined into the caller */
};

struct graph {
	struct graph_node *nodes;
	size_t nr_nodes;
	/* The nodes to print, sorted. */
	uint32_t *listed;
	size_t nr_listed;
	/* Before max_nodes cut the list. */
	size_t nr_above_limit;
	/* Nodes below the limit of node_fraction. */
	size_t nr_dropped;
	/* Edges between all nodes, also those that are not listed. Their nodes have names. */
	struct graph_edge *edges;
	size_t nr_edges;
};

/*
 * Builds the graph of r's model and type, and lists its nodes. graph_free() frees it.
 * Returns: the graph, or NULL with errno: ENOMEM, or EOVERFLOW beyond 2^31 nodes or edges.
 */
struct graph *graph_new(const struct report *r, const struct graph_settings *s);

/* Frees the graph. g may be NULL. */
void graph_free(struct graph *g);

/* The own value of a node, and the cumulative one; the mean if r wants that. */
int64_t graph_flat(const struct graph_node *n);
int64_t graph_cum(const struct graph_node *n);

/* The sum of the own values of all listed nodes. */
int64_t graph_total(const struct graph *g);

/*
 * The unit for all values: r->unit, unless that is UNIT_MINIMUM. Then it is the unit in which the
 * smallest value is at least 1, or at least 0.01 if the total needs a larger unit.
 * Returns: a unit that is static, or a string of the model.
 */
const char *graph_unit(const struct graph *g, const struct report *r);

/* Compares the texts of two nodes by their bytes. Returns: below, equal to or above 0. */
int graph_compare_names(const struct graph_node *a, const struct graph_node *b);

/* Returns the limit of a fraction of value, in the unit of value. */
int64_t graph_limit(int64_t value, double fraction);

#endif /* COLLECTOR_ANALYSIS_GRAPH_H */
