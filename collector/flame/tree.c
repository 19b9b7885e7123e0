// SPDX-License-Identifier: GPL-2.0
#include "flame/tree.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/call_tree.h"
#include "pprof/merge.h"
#include "pprof/model.h"

#define NONE	UINT32_MAX

/* Where a node of the call tree stands in preorder. The last child of a node comes first. */
struct order {
	uint32_t first_child;
	uint32_t next;		/* the next child of the parent */
	uint32_t preorder;
};

/* Children have larger indices than their parents. */
static void link_nodes(struct order *order, const struct call_tree *calls)
{
	for (size_t i = 0; i < calls->nr; i++)
		order[i] = (struct order){ .first_child = NONE, .next = NONE };
	for (size_t i = 1; i < calls->nr; i++) {
		order[i].next = order[calls->nodes[i].parent].first_child;
		order[calls->nodes[i].parent].first_child = i;
	}
}

/* Returns: the node after this one in preorder, or NONE. */
static uint32_t next_in_preorder(const struct order *order, const struct call_node *nodes,
				 uint32_t node)
{
	if (order[node].first_child != NONE)
		return order[node].first_child;
	while (node && order[node].next == NONE)
		node = nodes[node].parent;
	return node ? order[node].next : NONE;
}

static int order_nodes(struct flame_tree *t, struct order *order, const struct call_tree *calls)
{
	t->nodes = malloc(calls->nr * sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	link_nodes(order, calls);
	for (uint32_t i = 0; i != NONE; i = next_in_preorder(order, calls->nodes, i)) {
		const struct call_node *n = &calls->nodes[i];
		uint32_t parent = order[n->parent].preorder;

		order[i].preorder = t->nr_nodes;
		t->nodes[t->nr_nodes++] = (struct flame_node){
			.parent = parent, .depth = i ? t->nodes[parent].depth + 1 : 0,
			.frame = n->frame, .is_inlined = n->is_inlined,
		};
	}
	return 0;
}

/* A sample of the model, for sorting. */
struct ref {
	struct flame_sample key;
	uint32_t sample;
};

static int by_key(const void *left, const void *right)
{
	const struct ref *a = left, *b = right;

	if (a->key.node != b->key.node)
		return a->key.node < b->key.node ? -1 : 1;
	if (a->key.label_set != b->key.label_set)
		return a->key.label_set < b->key.label_set ? -1 : 1;
	return a->sample < b->sample ? -1 : 1;
}

/* Adds the values of a sample to the last sample of the tree, or begins a new one. */
static void add_sample(struct flame_tree *t, const struct ref *r)
{
	size_t nr_types = t->model->sample_types.nr;
	const struct flame_sample *last = t->samples + t->nr_samples - 1;
	const int64_t *from = model_values(t->model, r->sample);
	int64_t *to;

	if (!t->nr_samples || last->node != r->key.node || last->label_set != r->key.label_set)
		t->samples[t->nr_samples++] = r->key;
	to = t->values + (t->nr_samples - 1) * nr_types;
	for (size_t i = 0; i < nr_types; i++)
		to[i] = (uint64_t)to[i] + from[i];
}

static int add_samples(struct flame_tree *t, const struct order *order,
		       const struct call_tree *calls)
{
	const struct model *m = t->model;
	size_t nr = m->samples.nr;
	struct ref *refs = malloc((nr + 1) * sizeof(*refs));

	t->samples = malloc((nr + 1) * sizeof(*t->samples));
	t->values = calloc(m->values.nr + 1, sizeof(*t->values));
	if (!refs || !t->samples || !t->values) {
		free(refs);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct model_sample *s = &m->samples.items[i];

		refs[i].key.node = order[calls->node_of_stack[s->stack]].preorder;
		refs[i].key.label_set = s->label_set;
		refs[i].sample = i;
	}
	qsort(refs, nr, sizeof(*refs), by_key);
	for (size_t i = 0; i < nr; i++)
		add_sample(t, &refs[i]);
	free(refs);
	return 0;
}

static int add_calls(struct flame_tree *t, const struct call_tree *calls)
{
	struct order *order = malloc(calls->nr * sizeof(*order));
	int err = order ? order_nodes(t, order, calls) : -ENOMEM;

	if (!err)
		err = add_samples(t, order, calls);
	free(order);
	return err;
}

static int init_tree(struct flame_tree *t)
{
	struct call_tree calls = { 0 };
	int err = flame_frames_init(&t->frames, t->model);

	if (!err)
		err = call_tree_init(&calls, t->model, t->frames.of_line, t->frames.of_location);
	if (!err)
		err = add_calls(t, &calls);
	call_tree_fini(&calls);
	return err;
}

struct flame_tree *flame_tree_new(const struct model *m)
{
	struct flame_tree *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return NULL;
	t->model = m;
	err = init_tree(t);
	if (!err)
		return t;
	flame_tree_free(t);
	errno = -err;
	return NULL;
}

void flame_tree_free(struct flame_tree *t)
{
	if (!t)
		return;
	flame_frames_fini(&t->frames);
	free(t->nodes);
	free(t->samples);
	free(t->values);
	free(t->categories);
	free(t);
}

bool flame_tree_is_base(const struct flame_tree *t, size_t sample)
{
	return model_has_text(t->model, t->samples[sample].label_set, MERGE_BASE_LABEL, NULL);
}

uint64_t flame_tree_width(const struct flame_tree *t, size_t sample, uint32_t type)
{
	int64_t value = t->values[sample * t->model->sample_types.nr + type];

	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

uint64_t *flame_tree_totals(const struct flame_tree *t, uint32_t type)
{
	uint64_t *totals = calloc(t->nr_nodes, sizeof(*totals));

	if (!totals)
		return NULL;
	for (size_t i = 0; i < t->nr_samples; i++)
		totals[t->samples[i].node] += flame_tree_width(t, i, type);
	for (size_t i = t->nr_nodes; --i;)
		totals[t->nodes[i].parent] += totals[i];
	return totals;
}
