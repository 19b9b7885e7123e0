// SPDX-License-Identifier: GPL-2.0
#include "analysis/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frame_table.h"
#include "analysis/report.h"
#include "analysis/wrap.h"
#include "base/array.h"
#include "base/hash_index.h"
#include "pprof/model.h"

#define NONE		UINT32_MAX
#define FIRST_SLOTS	1024

/* The sums of the samples of a stack. */
struct stack_sum {
	int64_t value;
	int64_t divisor;
	bool is_used;		/* a sample counts, even if the sums are 0 */
};

struct builder {
	struct graph graph;		/* the result; must be first: graph_free() */
	const struct report *report;
	struct frame_table frames;	/* a frame is a node */
	struct stack_sum *sums;		/* by stack */
	bool *is_kept;			/* by node */
	uint32_t *node_stack;		/* by node: the last stack that it counted, + 1 */
	uint32_t *edge_stack;		/* the same by edge */
	size_t edge_room;
	size_t stack_room;
	struct hash_index index;	/* edges by their nodes */
};

/* Returns: the new edge, or a negative errno. */
static int64_t append_edge(struct builder *b, uint32_t caller, uint32_t callee, bool is_inlined)
{
	struct graph *g = &b->graph;
	struct graph_edge *edges = array_grow(g->edges, &b->edge_room, g->nr_edges + 1,
					      sizeof(*edges));
	uint32_t *stacks = array_grow(b->edge_stack, &b->stack_room, g->nr_edges + 1,
				      sizeof(*stacks));

	g->edges = edges ?: g->edges;
	b->edge_stack = stacks ?: b->edge_stack;
	if (g->nr_edges >= HASH_INDEX_MAX_IDS)
		return -EOVERFLOW;
	if (!edges || !stacks || hash_index_reserve(&b->index, g->nr_edges + 1))
		return -ENOMEM;
	edges[g->nr_edges] = (struct graph_edge){
		.caller = caller, .callee = callee, .is_inlined = is_inlined,
	};
	stacks[g->nr_edges] = 0;
	hash_index_put(&b->index, hash_index_hash_pair(caller, callee), g->nr_edges + 1);
	return g->nr_edges++;
}

/* Finds or adds an edge. Returns: the edge, or a negative errno. */
static int64_t find_edge(struct builder *b, uint32_t caller, uint32_t callee, bool is_inlined)
{
	uint32_t hash = hash_index_hash_pair(caller, callee);
	const struct hash_slot *slots = b->index.slot;

	for (size_t i = hash_index_first(&b->index, hash); slots[i].id1;
	     i = hash_index_next(&b->index, i)) {
		const struct graph_edge *e = &b->graph.edges[slots[i].id1 - 1];

		if (slots[i].hash == hash && e->caller == caller && e->callee == callee)
			return slots[i].id1 - 1;
	}
	return append_edge(b, caller, callee, is_inlined);
}

static int count_edge(struct builder *b, uint32_t stack, uint32_t caller, uint32_t callee,
		      bool is_inlined)
{
	int64_t id = find_edge(b, caller, callee, is_inlined);
	struct graph_edge *e;

	if (id < 0)
		return id;
	if (b->edge_stack[id] == stack + 1)
		return 0;
	b->edge_stack[id] = stack + 1;
	e = &b->graph.edges[id];
	e->weight = wrap_add(e->weight, b->sums[stack].value);
	e->is_inlined &= is_inlined;
	return 0;
}

/* Edges pass over nodes that are not kept. */
static int count_edges_of(struct builder *b, uint32_t stack)
{
	uint32_t nr, nr_frames, caller = NONE;
	const uint32_t *locations = model_stack(b->report->model, stack, &nr);
	int err = 0;

	while (!err && nr--) {
		const uint32_t *nodes = frame_table_at(&b->frames, locations[nr], &nr_frames);

		for (uint32_t i = nr_frames; !err && i--;) {
			if (!b->is_kept[nodes[i]])
				continue;
			if (caller != NONE && caller != nodes[i])
				err = count_edge(b, stack, caller, nodes[i], i + 1 < nr_frames);
			caller = nodes[i];
		}
	}
	return err;
}

static int count_edges(struct builder *b)
{
	size_t nr_stacks = b->report->model->stacks.nr;
	int err = 0;

	for (size_t i = 0; !err && i < nr_stacks; i++)
		if (b->sums[i].is_used)
			err = count_edges_of(b, i);
	return err;
}

static void count_node(struct builder *b, uint32_t stack, uint32_t node)
{
	const struct stack_sum *sum = &b->sums[stack];
	struct graph_node *n = &b->graph.nodes[node];

	if (b->node_stack[node] == stack + 1)
		return;
	b->node_stack[node] = stack + 1;
	n->cum = wrap_add(n->cum, sum->value);
	n->cum_divisor = wrap_add(n->cum_divisor, sum->divisor);
}

static void count_nodes_of(struct builder *b, uint32_t stack)
{
	const struct stack_sum *sum = &b->sums[stack];
	uint32_t nr, nr_frames;
	const uint32_t *locations = model_stack(b->report->model, stack, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		const uint32_t *nodes = frame_table_at(&b->frames, locations[i], &nr_frames);
		struct graph_node *leaf = &b->graph.nodes[nodes[0]];

		for (uint32_t k = 0; k < nr_frames; k++)
			count_node(b, stack, nodes[k]);
		if (i)
			continue;
		leaf->flat = wrap_add(leaf->flat, sum->value);
		leaf->flat_divisor = wrap_add(leaf->flat_divisor, sum->divisor);
	}
}

/* Counts all nodes, and lists those that have a value. */
static void count_nodes(struct builder *b, bool drops_negative)
{
	struct graph *g = &b->graph;
	size_t nr_stacks = b->report->model->stacks.nr;

	for (size_t i = 0; i < nr_stacks; i++)
		if (b->sums[i].is_used)
			count_nodes_of(b, i);
	for (size_t i = 0; i < g->nr_nodes; i++) {
		struct graph_node *n = &g->nodes[i];
		bool is_negative = n->flat < 0 || (!n->flat && n->cum < 0);

		n->is_listed = (n->cum || n->flat) && !(drops_negative && is_negative);
		if (n->is_listed)
			g->listed[g->nr_listed++] = i;
	}
}

/* Only the first nr nodes of the list stay in the graph. */
static void keep_listed(struct builder *b, size_t nr)
{
	struct graph *g = &b->graph;

	memset(b->is_kept, 0, g->nr_nodes * sizeof(*b->is_kept));
	for (size_t i = 0; i < nr; i++)
		b->is_kept[g->listed[i]] = true;
	for (size_t i = 0; i < g->nr_nodes; i++)
		g->nodes[i].is_listed = b->is_kept[i];
	g->nr_listed = nr;
}

/* Leaves out the nodes below the limit. */
static void drop_small_nodes(struct builder *b, int64_t limit)
{
	struct graph *g = &b->graph;
	size_t nr = 0;

	for (size_t i = 0; i < g->nr_listed; i++)
		if (limit <= 0 || wrap_abs(g->nodes[g->listed[i]].cum) >= limit)
			g->listed[nr++] = g->listed[i];
	g->nr_dropped = g->nr_listed - nr;
	if (g->nr_dropped)
		keep_listed(b, nr);
	g->nr_above_limit = nr;
}

/* Edges to nodes that are not listed have no limit. */
static void drop_small_edges(struct graph *g, int64_t limit)
{
	size_t nr = 0;

	for (size_t i = 0; i < g->nr_edges; i++)
		if (!g->nodes[g->edges[i].callee].is_listed ||
		    wrap_abs(g->edges[i].weight) >= limit)
			g->edges[nr++] = g->edges[i];
	g->nr_edges = nr;
}

static int name_node(struct builder *b, uint32_t node)
{
	const struct frame_text *text = frame_table_text(&b->frames, node);

	if (!text)
		return -ENOMEM;
	b->graph.nodes[node].text = text->bytes;
	b->graph.nodes[node].text_len = text->len;
	return 0;
}

static int name_edges(struct builder *b)
{
	const struct graph *g = &b->graph;
	int err = 0;

	for (size_t i = 0; !err && i < g->nr_edges; i++)
		err = name_node(b, g->edges[i].caller) ?: name_node(b, g->edges[i].callee);
	return err;
}

/* The order of nodes: the larger value, the name, and for equal names the first in the file. */
struct order {
	const struct graph_node *nodes;
	bool is_by_cum;
};

static int compare_nodes(const void *left, const void *right, void *ctx)
{
	const struct order *o = ctx;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct graph_node *a = &o->nodes[l], *b = &o->nodes[r];
	int64_t a_size = wrap_abs(o->is_by_cum ? a->cum : a->flat);
	int64_t b_size = wrap_abs(o->is_by_cum ? b->cum : b->flat);
	int order;

	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	order = graph_compare_names(a, b);
	if (order)
		return order;
	return l < r ? -1 : l > r;
}

static int sort_nodes(struct builder *b, const struct graph_settings *s)
{
	struct graph *g = &b->graph;
	struct order o = { .nodes = g->nodes, .is_by_cum = s->is_by_cum };
	int err = 0;

	for (size_t i = 0; !err && i < g->nr_listed; i++)
		err = name_node(b, g->listed[i]);
	if (!err)
		qsort_r(g->listed, g->nr_listed, sizeof(*g->listed), compare_nodes, &o);
	return err;
}

static int64_t sum_flat(const struct graph *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < g->nr_listed; i++)
		sum = wrap_add(sum, g->nodes[g->listed[i]].flat);
	return sum;
}

static void add_samples(struct builder *b)
{
	const struct report *r = b->report;
	const struct model *m = r->model;

	for (size_t i = 0; i < m->samples.nr; i++) {
		struct stack_sum *sum = &b->sums[m->samples.items[i].stack];
		const int64_t *values = model_values(m, i);
		int64_t divisor = r->is_mean ? values[0] : 0;

		sum->value = wrap_add(sum->value, values[r->type]);
		sum->divisor = wrap_add(sum->divisor, divisor);
		sum->is_used |= values[r->type] || divisor;
	}
}

static int init_builder(struct builder *b, const char *trim_path)
{
	const struct model *m = b->report->model;
	int err = frame_table_init(&b->frames, m, trim_path ? trim_path : "");
	size_t nr = b->frames.nr;

	if (err)
		return err;
	b->graph.nr_nodes = nr;
	b->graph.nodes = calloc(nr + 1, sizeof(*b->graph.nodes));
	b->graph.listed = calloc(nr + 1, sizeof(*b->graph.listed));
	b->node_stack = calloc(nr + 1, sizeof(*b->node_stack));
	b->is_kept = calloc(nr + 1, sizeof(*b->is_kept));
	b->sums = calloc(m->stacks.nr, sizeof(*b->sums));
	err = hash_index_init(&b->index, FIRST_SLOTS);
	if (err || !b->graph.nodes || !b->graph.listed || !b->node_stack || !b->is_kept || !b->sums)
		return -ENOMEM;
	memset(b->is_kept, true, nr * sizeof(*b->is_kept));
	add_samples(b);
	return 0;
}

/* Values of nodes do not depend on which other nodes are kept. Edges do, and are counted last. */
static int build(struct builder *b, const struct graph_settings *s)
{
	struct graph *g = &b->graph;
	int err = init_builder(b, s->trim_path);
	int64_t total;

	if (err)
		return err;
	count_nodes(b, s->drops_negative);
	total = sum_flat(g);
	drop_small_nodes(b, graph_limit(total, s->node_fraction));
	err = sort_nodes(b, s);
	if (err)
		return err;
	if (s->max_nodes && s->max_nodes < g->nr_listed)
		keep_listed(b, s->max_nodes);
	err = count_edges(b);
	if (err)
		return err;
	drop_small_edges(g, graph_limit(total, s->edge_fraction));
	return name_edges(b);
}

struct graph *graph_new(const struct report *r, const struct graph_settings *s)
{
	struct builder *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return NULL;
	b->report = r;
	err = build(b, s);
	if (!err)
		return &b->graph;
	graph_free(&b->graph);
	errno = -err;
	return NULL;
}

void graph_free(struct graph *g)
{
	struct builder *b = (struct builder *)g;

	if (!b)
		return;
	frame_table_fini(&b->frames);
	hash_index_fini(&b->index);
	free(b->graph.nodes);
	free(b->graph.listed);
	free(b->graph.edges);
	free(b->sums);
	free(b->is_kept);
	free(b->node_stack);
	free(b->edge_stack);
	free(b);
}

int64_t graph_flat(const struct graph_node *n)
{
	return wrap_mean(n->flat, n->flat_divisor);
}

int64_t graph_cum(const struct graph_node *n)
{
	return wrap_mean(n->cum, n->cum_divisor);
}

int64_t graph_total(const struct graph *g)
{
	int64_t total = 0;

	for (size_t i = 0; i < g->nr_listed; i++)
		total = wrap_add(total, graph_flat(&g->nodes[g->listed[i]]));
	return total;
}

int64_t graph_limit(int64_t value, double fraction)
{
	return wrap_abs(wrap_from_double((double)value * fraction));
}

int graph_compare_names(const struct graph_node *a, const struct graph_node *b)
{
	size_t len = a->text_len < b->text_len ? a->text_len : b->text_len;
	int order = memcmp(a->text, b->text, len);

	if (order)
		return order;
	return a->text_len < b->text_len ? -1 : a->text_len > b->text_len;
}

/* The smallest value that is not 0, or 0 if there is none. */
static int64_t smallest_value(const struct graph *g)
{
	int64_t smallest = 0, value;

	for (size_t i = 0; i < g->nr_listed; i++) {
		const struct graph_node *n = &g->nodes[g->listed[i]];

		value = wrap_abs(graph_flat(n)) ?: wrap_abs(graph_cum(n));
		if (value > 0 && (!smallest || value < smallest))
			smallest = value;
	}
	return smallest;
}

const char *graph_unit(const struct graph *g, const struct report *r)
{
	const char *unit = model_string(r->model, r->model->sample_types.items[r->type].unit);
	int64_t smallest = report_multiply(r, smallest_value(g) ?: r->total);
	int64_t total = report_multiply(r, r->total), limit = wrap_multiply(smallest, 100);
	const char *small, *large;

	if (strcmp(r->unit, UNIT_MINIMUM) || !g->nr_listed)
		return r->unit;
	small = unit_scale(smallest, unit, UNIT_MINIMUM).unit;
	large = unit_scale(total, unit, UNIT_MINIMUM).unit;
	if (strcmp(small, large) && limit < total)
		small = unit_scale(limit, unit, UNIT_MINIMUM).unit;
	return *small ? small : unit;
}
