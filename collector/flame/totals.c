// SPDX-License-Identifier: GPL-2.0
#include "flame/totals.h"

#include <errno.h>
#include <stdlib.h>

#include "flame/tree.h"

/* The frames from the root to a node, while the nodes are walked in preorder. */
struct path {
	uint32_t *frames;	/* by depth */
	uint32_t *nr_on_path;	/* by frame */
	uint32_t depth;
};

/* Moves the path to a node. Returns: how often its frame is in the path. */
static uint32_t path_move(struct path *p, const struct flame_node *n)
{
	for (; p->depth && p->depth >= n->depth; p->depth--)
		p->nr_on_path[p->frames[p->depth]]--;
	p->depth = n->depth;
	p->frames[p->depth] = n->frame;
	return ++p->nr_on_path[n->frame];
}

static uint32_t max_depth(const struct flame_tree *t)
{
	uint32_t max = 0;

	for (size_t i = 0; i < t->nr_nodes; i++)
		if (t->nodes[i].depth > max)
			max = t->nodes[i].depth;
	return max;
}

/* In recursion only the outermost node of a frame counts. Returns: 0, or -ENOMEM. */
static int add_totals(const struct flame_tree *t, uint32_t type, struct flame_total *out)
{
	struct path p = {
		.frames = calloc(max_depth(t) + 1, sizeof(*p.frames)),
		.nr_on_path = calloc(t->frames.nr, sizeof(*p.nr_on_path)),
	};
	uint64_t *totals = flame_tree_totals(t, type);
	int err = p.frames && p.nr_on_path && totals ? 0 : -ENOMEM;

	for (size_t i = 1; !err && i < t->nr_nodes; i++)
		if (path_move(&p, &t->nodes[i]) == 1)
			out[t->nodes[i].frame].total += totals[i];
	free(totals);
	free(p.nr_on_path);
	free(p.frames);
	return err;
}

static int by_self(const void *left, const void *right)
{
	const struct flame_total *a = left, *b = right;

	if (!a->frame || !b->frame)
		return a->frame ? -1 : 1;	/* the root is the last one */
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->frame < b->frame ? -1 : 1;
}

struct flame_total *flame_totals_new(const struct flame_tree *t, uint32_t type, size_t *nr)
{
	struct flame_total *out = calloc(t->frames.nr, sizeof(*out));

	if (!out)
		return NULL;
	for (size_t i = 0; i < t->frames.nr; i++)
		out[i].frame = i;
	for (size_t i = 0; i < t->nr_samples; i++)
		out[t->nodes[t->samples[i].node].frame].self += flame_tree_width(t, i, type);
	if (add_totals(t, type, out)) {
		free(out);
		return NULL;
	}
	*nr = t->frames.nr - 1;
	if (*nr)
		qsort(out, t->frames.nr, sizeof(*out), by_self);
	return out;
}
