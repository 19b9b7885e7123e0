// SPDX-License-Identifier: GPL-2.0
#include "analysis/top.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/graph.h"
#include "analysis/graph_head.h"
#include "analysis/report.h"
#include "analysis/wrap.h"

/* How the callers of a node call it: a set of bits. */
#define IS_INLINED	1
#define IS_CALLED	2

/* Returns: the bits by node, which the caller frees; or NULL without memory. */
static unsigned char *find_calls(const struct graph *g)
{
	unsigned char *calls = calloc(g->nr_nodes + 1, sizeof(*calls));

	for (size_t i = 0; calls && i < g->nr_edges; i++)
		calls[g->edges[i].callee] |= g->edges[i].is_inlined ? IS_INLINED : IS_CALLED;
	return calls;
}

static const char *inline_mark(unsigned char calls)
{
	if (!(calls & IS_INLINED))
		return "";
	return calls & IS_CALLED ? " (partial-inline)" : " (inline)";
}

static void print_nodes(FILE *out, const struct report *r, const struct graph *g,
			const unsigned char *calls)
{
	int64_t sum = 0;

	for (size_t i = 0; i < g->nr_listed; i++) {
		const struct graph_node *n = &g->nodes[g->listed[i]];

		sum = wrap_add(sum, graph_flat(n));
		graph_head_print_values(out, r, n, sum);
		fputs("  ", out);
		fwrite(n->text, 1, n->text_len, out);
		fprintf(out, "%s\n", inline_mark(calls[g->listed[i]]));
	}
}

int top_print(FILE *out, const struct report *r, const struct graph_settings *s)
{
	struct graph *g = graph_new(r, s);
	struct report report = *r;
	unsigned char *calls;

	if (!g)
		return -errno;
	calls = find_calls(g);
	if (!calls) {
		graph_free(g);
		return -ENOMEM;
	}
	report.unit = graph_unit(g, r);
	graph_head_print(out, g, &report, s);
	fputs(GRAPH_HEAD_TITLES "\n", out);
	print_nodes(out, &report, g, calls);
	free(calls);
	graph_free(g);
	return 0;
}
