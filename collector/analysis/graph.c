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

static uint32_t hash_edge(uint32_t caller, uint32_t callee)
{
	return (((uint64_t)caller << 32 | callee) * 0x9E3779B97F4A7C15) >> 32;
}

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
	hash_index_put(&b->index, hash_edge(caller, callee), g->nr_edges + 1);
	return g->nr_edges++;
}

/* Finds or adds an edge. Returns: the edge, or a negative errno. */
static int64_t find_edge(struct builder *b, uint32_t caller, uint32_t callee, bool is_inlined)
{
	uint32_t hash = hash_edge(caller, callee);
	const struct hash_slot *slots = b->index.slot;

	for (size_t i = hash_index_first(&b->index, hash); slots[i].id1;
	     i = hash_index_next(&b->index, i)) {
		const struct graph_edge *e = &b->graph.edges[slots[i].id1 - 1];

		if (slots[i].hash == hash && e->caller == caller && e->callee == callee)
			return slots[i].id1 - 1;
	}
	return append_edge(b, caller, callee, is_inlined);
}

/* A walk over a stack, from the root to the leaf. */
struct walk {
	uint32_t stack;
	uint32_t caller;	/* the last node that is kept, or NONE */
	bool has_gap;		/* nodes after the caller are not kept */
};

static void count_node(struct builder *b, const struct walk *w, uint32_t node)
{
	const struct stack_sum *sum = &b->sums[w->stack];
	struct graph_node *n = &b->graph.nodes[node];

	if (b->node_stack[node] == w->stack + 1)
		return;
	b->node_stack[node] = w->stack + 1;
	n->cum = wrap_add(n->cum, sum->value);
	n->cum_divisor = wrap_add(n->cum_divisor, sum->divisor);
}

static int count_edge(struct builder *b, const struct walk *w, uint32_t callee, bool is_inlined)
{
	int64_t id = find_edge(b, w->caller, callee, is_inlined);
	struct graph_edge *e;

	if (id < 0)
		return id;
	if (b->edge_stack[id] == w->stack + 1)
		return 0;
	b->edge_stack[id] = w->stack + 1;
	e = &b->graph.edges[id];
	e->weight = wrap_add(e->weight, b->sums[w->stack].value);
	e->is_inlined &= is_inlined;
	return 0;
}

static int count_frame(struct builder *b, struct walk *w, uint32_t node, bool is_inlined)
{
	int err = 0;

	if (!b->is_kept[node]) {
		w->has_gap = true;
		return 0;
	}
	count_node(b, w, node);
	if (w->caller != NONE && w->caller != node)
		err = count_edge(b, w, node, is_inlined);
	w->caller = node;
	w->has_gap = false;
	return err;
}

static int count_location(struct builder *b, struct walk *w, uint32_t location)
{
	uint32_t nr;
	const uint32_t *nodes = frame_table_at(&b->frames, location, &nr);
	int err = 0;

	for (uint32_t i = nr; !err && i--;)
		err = count_frame(b, w, nodes[i], i + 1 < nr);
	return err;
}

static int count_stack(struct builder *b, uint32_t stack)
{
	struct walk w = { .stack = stack, .caller = NONE };
	const struct stack_sum *sum = &b->sums[stack];
	struct graph_node *leaf;
	uint32_t nr;
	const uint32_t *locations = model_stack(b->report->model, stack, &nr);
	int err = 0;

	while (!err && nr--)
		err = count_location(b, &w, locations[nr]);
	if (err || w.caller == NONE || w.has_gap)
		return err;
	leaf = &b->graph.nodes[w.caller];
	leaf->flat = wrap_add(leaf->flat, sum->value);
	leaf->flat_divisor = wrap_add(leaf->flat_divisor, sum->divisor);
	return 0;
}

/* Lists the nodes that have a value. */
static void list_nodes(struct builder *b, bool drops_negative)
{
	struct graph *g = &b->graph;

	g->nr_listed = 0;
	for (size_t i = 0; i < g->nr_nodes; i++) {
		struct graph_node *n = &g->nodes[i];
		bool is_negative = n->flat < 0 || (!n->flat && n->cum < 0);

		n->is_listed = (n->cum || n->flat) && !(drops_negative && is_negative);
		if (n->is_listed)
			g->listed[g->nr_listed++] = i;
	}
}

/* Counts all stacks, with the nodes that are kept. */
static int count_all(struct builder *b, const struct graph_settings *s)
{
	struct graph *g = &b->graph;
	size_t nr_stacks = b->report->model->stacks.nr;
	int err = 0;

	memset(g->nodes, 0, g->nr_nodes * sizeof(*g->nodes));
	memset(b->node_stack, 0, g->nr_nodes * sizeof(*b->node_stack));
	g->nr_edges = 0;
	hash_index_clear(&b->index, FIRST_SLOTS);
	for (size_t i = 0; !err && i < nr_stacks; i++)
		if (b->sums[i].is_used)
			err = count_stack(b, i);
	if (!err)
		list_nodes(b, s->drops_negative);
	return err;
}

/* Only the first nr_kept nodes of the list stay. */
static int keep_listed(struct builder *b, const struct graph_settings *s, size_t nr_kept)
{
	memset(b->is_kept, 0, b->graph.nr_nodes * sizeof(*b->is_kept));
	for (size_t i = 0; i < nr_kept; i++)
		b->is_kept[b->graph.listed[i]] = true;
	return count_all(b, s);
}

/* Leaves out the nodes below the limit. */
static int drop_small_nodes(struct builder *b, const struct graph_settings *s, int64_t limit)
{
	struct graph *g = &b->graph;
	size_t nr = 0;

	if (limit <= 0)
		return 0;
	for (size_t i = 0; i < g->nr_listed; i++)
		if (wrap_abs(g->nodes[g->listed[i]].cum) >= limit)
			g->listed[nr++] = g->listed[i];
	g->nr_dropped = g->nr_listed - nr;
	return g->nr_dropped ? keep_listed(b, s, nr) : 0;
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

static int limit_nodes(struct builder *b, const struct graph_settings *s)
{
	struct graph *g = &b->graph;
	int err;

	g->nr_above_limit = g->nr_listed;
	if (!s->max_nodes || g->nr_listed <= s->max_nodes)
		return 0;
	err = keep_listed(b, s, s->max_nodes);
	return err ?: sort_nodes(b, s);
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

static int init_builder(struct builder *b)
{
	const struct model *m = b->report->model;
	int err = frame_table_init(&b->frames, m, true);
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

static int build(struct builder *b, const struct graph_settings *s)
{
	int64_t total;
	int err = init_builder(b) ?: count_all(b, s);

	if (err)
		return err;
	total = sum_flat(&b->graph);
	err = drop_small_nodes(b, s, graph_limit(total, s->node_fraction));
	if (!err)
		err = sort_nodes(b, s) ?: limit_nodes(b, s);
	if (err)
		return err;
	drop_small_edges(&b->graph, graph_limit(total, s->edge_fraction));
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
	int64_t smallest = smallest_value(g) ?: r->total, limit = wrap_multiply(smallest, 100);
	const char *small, *large;

	if (strcmp(r->unit, UNIT_MINIMUM) || !g->nr_listed)
		return r->unit;
	small = unit_scale(smallest, unit, UNIT_MINIMUM).unit;
	large = unit_scale(r->total, unit, UNIT_MINIMUM).unit;
	if (strcmp(small, large) && limit < r->total)
		small = unit_scale(limit, unit, UNIT_MINIMUM).unit;
	return *small ? small : unit;
}
