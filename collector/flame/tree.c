// SPDX-License-Identifier: GPL-2.0
#include "flame/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_index.h"
#include "pprof/merge.h"
#include "pprof/model.h"

#define NONE		UINT32_MAX
#define FIRST_SLOTS	1024

/* A node while the tree grows. Its id is the order of its creation. */
struct draft {
	uint32_t parent;
	uint32_t frame;
	uint32_t first_child;
	uint32_t next;		/* the next child of the parent */
	uint32_t preorder;
	bool is_inlined;
};

struct builder {
	const struct model *model;
	const struct flame_frames *frames;
	struct draft *drafts;
	size_t nr;
	size_t room;
	struct hash_index index;	/* drafts by parent and frame */
	uint32_t *leaf_of_stack;	/* by stack: a draft, or NONE */
};

/* Returns: the new node, or a negative errno. */
static int64_t append_child(struct builder *b, uint32_t parent, uint32_t frame, bool is_inlined)
{
	struct draft *grown = array_grow(b->drafts, &b->room, b->nr + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	b->drafts = grown;
	if (b->nr >= HASH_INDEX_MAX_IDS)
		return -EOVERFLOW;
	if (hash_index_reserve(&b->index, b->nr + 1))
		return -ENOMEM;
	grown[b->nr] = (struct draft){
		.parent = parent, .frame = frame, .first_child = NONE, .next = NONE,
		.is_inlined = is_inlined,
	};
	if (b->nr) {
		grown[b->nr].next = grown[parent].first_child;
		grown[parent].first_child = b->nr;
		hash_index_put(&b->index, hash_index_hash_pair(parent, frame), b->nr + 1);
	}
	return b->nr++;
}

/* Finds or adds the child of a node. Returns: the child, or a negative errno. */
static int64_t add_child(struct builder *b, uint32_t parent, uint32_t frame, bool is_inlined)
{
	uint32_t hash = hash_index_hash_pair(parent, frame);
	const struct hash_slot *slots = b->index.slot;

	for (size_t i = hash_index_first(&b->index, hash); slots[i].id1;
	     i = hash_index_next(&b->index, i)) {
		struct draft *d = &b->drafts[slots[i].id1 - 1];

		if (d->parent != parent || d->frame != frame)
			continue;
		d->is_inlined &= is_inlined;
		return slots[i].id1 - 1;
	}
	return append_child(b, parent, frame, is_inlined);
}

/* Adds the functions at a location, the outermost first. Returns: the last node, or an errno. */
static int64_t add_location(struct builder *b, uint32_t node, uint32_t location)
{
	const struct model_location *l = &b->model->locations.items[location];
	int64_t at = node;

	if (!l->nr_lines)
		return add_child(b, node, b->frames->of_location[location], false);
	for (uint32_t i = l->nr_lines; i-- && at >= 0;)
		at = add_child(b, at, b->frames->of_line[l->first_line + i],
			       i + 1 < l->nr_lines);
	return at;
}

static int add_stack(struct builder *b, uint32_t stack)
{
	uint32_t nr;
	const uint32_t *locations = model_stack(b->model, stack, &nr);
	int64_t at = 0;

	if (b->leaf_of_stack[stack] != NONE)
		return 0;
	while (nr-- && at >= 0)
		at = add_location(b, at, locations[nr]);
	if (at < 0)
		return at;
	b->leaf_of_stack[stack] = at;
	return 0;
}

static int build(struct builder *b)
{
	const struct model *m = b->model;
	int64_t err;

	b->leaf_of_stack = malloc(m->stacks.nr * sizeof(*b->leaf_of_stack));
	if (!b->leaf_of_stack || hash_index_init(&b->index, FIRST_SLOTS))
		return -ENOMEM;
	memset(b->leaf_of_stack, 0xFF, m->stacks.nr * sizeof(*b->leaf_of_stack));
	err = append_child(b, 0, 0, false);
	for (size_t i = 0; err >= 0 && i < m->samples.nr; i++)
		err = add_stack(b, m->samples.items[i].stack);
	return err < 0 ? err : 0;
}

static void fini_builder(struct builder *b)
{
	free(b->drafts);
	free(b->leaf_of_stack);
	hash_index_fini(&b->index);
}

/* Returns: the node after this one in preorder, or NONE. */
static uint32_t next_in_preorder(const struct draft *drafts, uint32_t node)
{
	if (drafts[node].first_child != NONE)
		return drafts[node].first_child;
	while (node && drafts[node].next == NONE)
		node = drafts[node].parent;
	return node ? drafts[node].next : NONE;
}

static int order_nodes(struct flame_tree *t, struct builder *b)
{
	t->nodes = malloc(b->nr * sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i != NONE; i = next_in_preorder(b->drafts, i)) {
		struct draft *d = &b->drafts[i];
		uint32_t parent = b->drafts[d->parent].preorder;

		d->preorder = t->nr_nodes;
		t->nodes[t->nr_nodes++] = (struct flame_node){
			.parent = parent, .depth = i ? t->nodes[parent].depth + 1 : 0,
			.frame = d->frame, .is_inlined = d->is_inlined,
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

		refs[i].key.node = b->drafts[b->leaf_of_stack[s->stack]].preorder;
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
	struct builder b = { .model = t->model, .frames = &t->frames };
	int err = flame_frames_init(&t->frames, t->model);

	if (!err)
		err = build(&b);
	if (!err)
		err = order_nodes(t, &b);
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
