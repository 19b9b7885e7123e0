/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of a flame graph: the stacks of a model by function, root first, with equal beginnings
 * joined. The tree is the same for all sample types and labels: the samples refer to it.
 */
#ifndef COLLECTOR_FLAME_TREE_H
#define COLLECTOR_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flame/frames.h"

struct model;

struct flame_node {
	uint32_t parent;	/* of the root: 0 */
	uint32_t depth;		/* of the root: 0 */
	uint32_t frame : 31;		/* index in frames */
	uint32_t is_inlined : 1;	/* every call of it here is inlined into the caller */
};

struct flame_sample {
	uint32_t node;		/* the leaf of the stack */
	uint32_t label_set;	/* its number in the model */
};

struct flame_tree {
	const struct model *model;
	struct flame_frames frames;
	/* Nodes in preorder: a node is followed by its descendants. The root is node 0. */
	struct flame_node *nodes;
	size_t nr_nodes;
	/* One for each pair of node and label set, sorted by them. */
	struct flame_sample *samples;
	size_t nr_samples;
	/* A value for each sample and sample type: [sample * number of types + type]. */
	int64_t *values;
	/*
	 * Category names, as numbers of strings in frames, the largest category first. Empty until
	 * flame_categories_assign().
	 */
	uint32_t *categories;
	size_t nr_categories;
};

/*
 * Builds the tree. The model must live as long as the tree. flame_tree_free() frees the tree.
 * Returns: the tree, or NULL with errno ENOMEM or EOVERFLOW.
 */
struct flame_tree *flame_tree_new(const struct model *m);

/* Frees the tree. t may be NULL. */
void flame_tree_free(struct flame_tree *t);

/* Is a sample of the base of a comparison? It then has the label MERGE_BASE_LABEL. */
bool flame_tree_is_base(const struct flame_tree *t, size_t sample);

/* Returns what a sample adds to the width of its frames: its value of a type, without the sign. */
uint64_t flame_tree_width(const struct flame_tree *t, size_t sample, uint32_t type);

/*
 * Computes the width of each node, which includes the samples of its descendants.
 * Returns: an array of nr_nodes, which the caller frees; or NULL with errno ENOMEM.
 */
uint64_t *flame_tree_totals(const struct flame_tree *t, uint32_t type);

#endif /* COLLECTOR_FLAME_TREE_H */
