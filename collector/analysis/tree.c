// SPDX-License-Identifier: GPL-2.0
#include "analysis/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/graph.h"
#include "analysis/graph_head.h"
#include "analysis/regex.h"
#include "analysis/report.h"
#include "analysis/wrap.h"

#define SEPARATOR	"----------------------------------------------------------+-------------\n"
#define TITLES		GRAPH_HEAD_TITLES "   calls calls% + context \t \t "

/* Edges sorted by one of their nodes. The edges of node i are from first[i] to first[i + 1]. */
struct edges_of {
	const struct graph_edge **edges;
	size_t *first;
};

struct tree {
	struct graph *graph;
	struct edges_of callers;
	struct edges_of callees;
	bool *is_printed;		/* by listed node */
};

/* Edges of the same node: the larger weight, the caller's name, the callee's name. */
static int compare_edges(const void *left, const void *right, void *ctx)
{
	const struct graph_node *nodes = ctx;
	const struct graph_edge *a = *(const struct graph_edge * const *)left;
	const struct graph_edge *b = *(const struct graph_edge * const *)right;
	int64_t a_size = wrap_abs(a->weight), b_size = wrap_abs(b->weight);
	int order;

	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	order = graph_compare_names(&nodes[a->caller], &nodes[b->caller]);
	if (!order)
		order = graph_compare_names(&nodes[a->callee], &nodes[b->callee]);
	return order ?: (a > b) - (a < b);
}

static uint32_t end_of(const struct graph_edge *e, bool is_callee)
{
	return is_callee ? e->callee : e->caller;
}

/* Fills in the edges by their callee, or by their caller. Both arrays are zeroes. */
static void sort_edges(struct edges_of *of, const struct graph *g, bool by_callee)
{
	size_t *first = of->first;

	for (size_t i = 0; i < g->nr_edges; i++)
		first[end_of(&g->edges[i], by_callee)]++;
	for (size_t i = 0; i < g->nr_nodes; i++)
		first[i + 1] += first[i];
	for (size_t i = g->nr_edges; i--;)
		of->edges[--first[end_of(&g->edges[i], by_callee)]] = &g->edges[i];
	for (size_t i = 0; i < g->nr_nodes; i++)
		qsort_r(of->edges + first[i], first[i + 1] - first[i], sizeof(*of->edges),
			compare_edges, g->nodes);
}

static int init_edges(struct edges_of *of, const struct graph *g, bool by_callee)
{
	of->edges = calloc(g->nr_edges + 1, sizeof(*of->edges));
	of->first = calloc(g->nr_nodes + 1, sizeof(*of->first));
	if (!of->edges || !of->first)
		return -ENOMEM;
	sort_edges(of, g, by_callee);
	return 0;
}

/* Returns: 0, -ENOENT if no node matches, or another negative errno. */
static int select_nodes(struct tree *t, struct regex *peek)
{
	const struct graph *g = t->graph;
	bool is_any = !peek;
	int found = 1;

	for (size_t i = 0; i < g->nr_listed; i++) {
		const struct graph_node *n = &g->nodes[g->listed[i]];

		if (peek)
			found = regex_find(peek, n->text, n->text_len);
		if (found < 0)
			return found;
		t->is_printed[i] = found;
		is_any |= found;
	}
	return is_any ? 0 : -ENOENT;
}

static int init_tree(struct tree *t, struct regex *peek)
{
	int err;

	t->is_printed = calloc(t->graph->nr_listed + 1, sizeof(*t->is_printed));
	if (!t->is_printed)
		return -ENOMEM;
	err = select_nodes(t, peek);
	if (!err)
		err = init_edges(&t->callers, t->graph, true);
	if (!err)
		err = init_edges(&t->callees, t->graph, false);
	return err;
}

static void fini_tree(struct tree *t)
{
	free(t->callers.edges);
	free(t->callers.first);
	free(t->callees.edges);
	free(t->callees.first);
	free(t->is_printed);
	graph_free(t->graph);
}

/* Prints the edges of a node, with the name of their other end. */
static void print_edges(FILE *out, const struct tree *t, const struct edges_of *of, uint32_t node,
			const struct report *r)
{
	const struct graph_node *nodes = t->graph->nodes;
	int64_t cum = graph_cum(&nodes[node]);

	for (size_t i = of->first[node]; i < of->first[node + 1]; i++) {
		const struct graph_edge *e = of->edges[i];
		const struct graph_node *other = &nodes[end_of(e, e->caller == node)];

		report_print_value(out, r, e->weight, 50);
		fprintf(out, " %s |   ", unit_percentage(e->weight, cum).text);
		fwrite(other->text, 1, other->text_len, out);
		fputs(e->is_inlined ? " (inline)\n" : "\n", out);
	}
}

static void print_node(FILE *out, const struct graph_node *n, int64_t sum, const struct report *r)
{
	graph_head_print_values(out, r, n, sum);
	fputs("                | ", out);
	fwrite(n->text, 1, n->text_len, out);
	putc('\n', out);
}

static void print_blocks(FILE *out, const struct tree *t, const struct report *r)
{
	const struct graph *g = t->graph;
	int64_t sum = 0;

	for (size_t i = 0; i < g->nr_listed; i++) {
		uint32_t node = g->listed[i];

		if (!t->is_printed[i])
			continue;
		sum = wrap_add(sum, graph_flat(&g->nodes[node]));
		fputs(SEPARATOR, out);
		print_edges(out, t, &t->callers, node, r);
		print_node(out, &g->nodes[node], sum, r);
		print_edges(out, t, &t->callees, node, r);
	}
	if (g->nr_listed)
		fputs(SEPARATOR, out);
}

int tree_print(FILE *out, const struct report *r, const struct graph_settings *s,
	       struct regex *peek)
{
	struct tree t = { .graph = graph_new(r, s) };
	struct report report = *r;
	int err;

	if (!t.graph)
		return -errno;
	err = init_tree(&t, peek);
	if (!err) {
		report.unit = graph_unit(t.graph, r);
		graph_head_print(out, t.graph, &report, s);
		fputs(SEPARATOR TITLES "\n", out);
		print_blocks(out, &t, &report);
	}
	fini_tree(&t);
	return err;
}
