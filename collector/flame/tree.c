// SPDX-License-Identifier: GPL-2.0
#include "flame/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/merge.h"
#include "pprof/model.h"

#define NONE		UINT32_MAX
#define MAX_NODES	INT32_MAX	/* data.js has them in an Int32Array */

/* A function on a stack. */
struct step {
	uint32_t frame;
	bool is_inlined;
};

/* Goes over the functions of a stack, the root first. */
struct walk {
	const uint32_t *locations;
	uint32_t nr;			/* of the locations that are left */
	const struct model_location *location;
	uint32_t nr_lines;		/* of the location's lines that are left */
};

/*
 * Stacks are sorted by their functions. Then the nodes come in preorder, and each stack adds those
 * that it does not share with the stack before. An index of nodes by parent and frame was slower by
 * far, as its look-ups miss the CPU's caches, and needed more memory than the tree.
 */
struct builder {
	struct flame_tree *tree;
	size_t room;			/* of tree->nodes */
	uint32_t *sorted;		/* stacks that samples have */
	size_t nr_sorted;
	uint32_t *leaf_of_stack;	/* by stack: a node, or NONE */
	/* The nodes of the last stack by depth, from the root on. */
	uint32_t *path;
	size_t path_room;
	size_t depth;
};

static struct walk walk_start(const struct model *m, uint32_t stack)
{
	struct walk w = { 0 };

	w.locations = model_stack(m, stack, &w.nr);
	return w;
}

/* Returns: whether there is another function. */
static bool walk_next(const struct flame_tree *t, struct walk *w, struct step *out)
{
	uint32_t location;

	if (!w->nr_lines) {
		if (!w->nr)
			return false;
		location = w->locations[--w->nr];
		w->location = &t->model->locations.items[location];
		w->nr_lines = w->location->nr_lines;
		*out = (struct step){ .frame = t->frames.of_location[location] };
		if (!w->nr_lines)
			return true;
	}
	w->nr_lines--;
	out->frame = t->frames.of_line[w->location->first_line + w->nr_lines];
	out->is_inlined = w->nr_lines + 1 < w->location->nr_lines;
	return true;
}

/* The last frame first, and a stack before those that it is the beginning of. */
static int compare_stacks(const void *left, const void *right, void *tree)
{
	const struct flame_tree *t = tree;
	struct walk a = walk_start(t->model, *(const uint32_t *)left);
	struct walk b = walk_start(t->model, *(const uint32_t *)right);
	struct step in_a, in_b;
	bool has_a, has_b;

	while (a.nr && b.nr && a.locations[a.nr - 1] == b.locations[b.nr - 1]) {
		a.nr--;
		b.nr--;
	}
	do {
		has_a = walk_next(t, &a, &in_a);
		has_b = walk_next(t, &b, &in_b);
	} while (has_a && has_b && in_a.frame == in_b.frame);
	if (has_a && has_b)
		return in_a.frame > in_b.frame ? -1 : 1;
	return has_a - has_b;
}

static int sort_stacks(struct builder *b)
{
	const struct model *m = b->tree->model;

	b->leaf_of_stack = malloc(m->stacks.nr * sizeof(*b->leaf_of_stack));
	b->sorted = malloc(m->stacks.nr * sizeof(*b->sorted));
	if (!b->leaf_of_stack || !b->sorted)
		return -ENOMEM;
	memset(b->leaf_of_stack, 0xFF, m->stacks.nr * sizeof(*b->leaf_of_stack));
	for (size_t i = 0; i < m->samples.nr; i++) {
		uint32_t stack = m->samples.items[i].stack;

		if (b->leaf_of_stack[stack] != NONE)
			continue;
		b->leaf_of_stack[stack] = 0;
		b->sorted[b->nr_sorted++] = stack;
	}
	qsort_r(b->sorted, b->nr_sorted, sizeof(*b->sorted), compare_stacks, b->tree);
	return 0;
}

/* Appends a node to the path. */
static int append_node(struct builder *b, const struct step *step)
{
	struct flame_tree *t = b->tree;
	uint32_t depth = t->nr_nodes ? b->depth + 1 : 0;
	struct flame_node *nodes = array_grow(t->nodes, &b->room, t->nr_nodes + 1, sizeof(*nodes));
	uint32_t *path = array_grow(b->path, &b->path_room, (size_t)depth + 1, sizeof(*path));

	if (nodes)
		t->nodes = nodes;
	if (path)
		b->path = path;
	if (!nodes || !path)
		return -ENOMEM;
	if (t->nr_nodes == MAX_NODES)
		return -EOVERFLOW;
	nodes[t->nr_nodes] = (struct flame_node){
		.parent = depth ? path[depth - 1] : 0, .depth = depth,
		.frame = step->frame, .is_inlined = step->is_inlined,
	};
	path[depth] = t->nr_nodes++;
	b->depth = depth;
	return 0;
}

static int add_stack(struct builder *b, uint32_t stack)
{
	struct flame_tree *t = b->tree;
	struct walk w = walk_start(t->model, stack);
	size_t depth_before = b->depth;
	struct step step;
	int err = 0;

	for (b->depth = 0; !err && walk_next(t, &w, &step);) {
		struct flame_node *known = NULL;

		if (b->depth < depth_before)
			known = &t->nodes[b->path[b->depth + 1]];
		if (known && known->frame == step.frame) {
			known->is_inlined &= step.is_inlined;
			b->depth++;
			continue;
		}
		depth_before = 0;
		err = append_node(b, &step);
	}
	if (!err)
		b->leaf_of_stack[stack] = b->path[b->depth];
	return err;
}

static int build(struct builder *b)
{
	const struct step root = { 0 };
	int err = sort_stacks(b);

	if (!err)
		err = append_node(b, &root);
	for (size_t i = 0; !err && i < b->nr_sorted; i++)
		err = add_stack(b, b->sorted[i]);
	return err;
}

static void fini_builder(struct builder *b)
{
	free(b->sorted);
	free(b->leaf_of_stack);
	free(b->path);
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

static int add_samples(struct flame_tree *t, const struct builder *b)
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

		refs[i].key.node = b->leaf_of_stack[s->stack];
		refs[i].key.label_set = s->label_set;
		refs[i].sample = i;
	}
	qsort(refs, nr, sizeof(*refs), by_key);
	for (size_t i = 0; i < nr; i++)
		add_sample(t, &refs[i]);
	free(refs);
	return 0;
}

static int init_tree(struct flame_tree *t)
{
	struct builder b = { .tree = t };
	int err = flame_frames_init(&t->frames, t->model);

	if (!err)
		err = build(&b);
	if (!err)
		err = add_samples(t, &b);
	fini_builder(&b);
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
