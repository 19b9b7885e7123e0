// SPDX-License-Identifier: GPL-2.0
#include "formats/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/model.h"

#define NONE		UINT32_MAX
#define FIRST_SLOTS	1024

struct builder {
	struct call_tree *tree;
	const struct model *model;
	const uint32_t *frame_of_line;
	const uint32_t *frame_of_location;
};

/* Returns: the new node, or a negative errno. */
static int64_t append_child(struct call_tree *t, uint32_t parent, uint32_t frame)
{
	struct call_node *grown = array_grow(t->nodes, &t->room, t->nr + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	t->nodes = grown;
	if (t->nr >= HASH_INDEX_MAX_IDS)
		return -EOVERFLOW;
	if (hash_index_reserve(&t->index, t->nr + 1))
		return -ENOMEM;
	grown[t->nr] = (struct call_node){ .parent = parent, .frame = frame };
	/* The root is no child: no look-up finds it. */
	if (t->nr)
		hash_index_put(&t->index, hash_index_hash_pair(parent, frame), t->nr + 1);
	return t->nr++;
}

/* Finds or adds the child of a node. Returns: the child, or a negative errno. */
static int64_t add_child(struct call_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t hash = hash_index_hash_pair(parent, frame);
	const struct hash_slot *slots = t->index.slot;

	for (size_t i = hash_index_first(&t->index, hash); slots[i].id1;
	     i = hash_index_next(&t->index, i)) {
		const struct call_node *n = &t->nodes[slots[i].id1 - 1];

		if (n->parent == parent && n->frame == frame)
			return slots[i].id1 - 1;
	}
	return append_child(t, parent, frame);
}

/* Adds the functions at a location, the outermost first. Returns: the last node, or an errno. */
static int64_t add_location(struct builder *b, uint32_t node, uint32_t location)
{
	const struct model_location *l = &b->model->locations.items[location];
	int64_t at = node;

	if (!l->nr_lines)
		return add_child(b->tree, node, b->frame_of_location[location]);
	for (uint32_t i = l->nr_lines; i-- && at >= 0;)
		at = add_child(b->tree, at, b->frame_of_line[l->first_line + i]);
	return at;
}

static int add_stack(struct builder *b, uint32_t stack)
{
	uint32_t nr;
	const uint32_t *locations = model_stack(b->model, stack, &nr);
	int64_t at = 0;

	if (b->tree->node_of_stack[stack] != NONE)
		return 0;
	while (nr-- && at >= 0)
		at = add_location(b, at, locations[nr]);
	if (at < 0)
		return at;
	b->tree->node_of_stack[stack] = at;
	return 0;
}

static int init_root(struct call_tree *t, const struct model *m)
{
	int64_t root;

	t->node_of_stack = malloc(m->stacks.nr * sizeof(*t->node_of_stack));
	if (!t->node_of_stack || hash_index_init(&t->index, FIRST_SLOTS))
		return -ENOMEM;
	memset(t->node_of_stack, 0xFF, m->stacks.nr * sizeof(*t->node_of_stack));
	root = append_child(t, 0, 0);
	return root < 0 ? root : 0;
}

int call_tree_init(struct call_tree *t, const struct model *m, const uint32_t *frame_of_line,
		   const uint32_t *frame_of_location)
{
	struct builder b = {
		.tree = t, .model = m,
		.frame_of_line = frame_of_line, .frame_of_location = frame_of_location,
	};
	int err;

	*t = (struct call_tree){ 0 };
	err = init_root(t, m);
	for (size_t i = 0; !err && i < m->samples.nr; i++)
		err = add_stack(&b, m->samples.items[i].stack);
	return err;
}

void call_tree_fini(struct call_tree *t)
{
	free(t->nodes);
	free(t->node_of_stack);
	hash_index_fini(&t->index);
}
