/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stacks of a model, root first, with equal beginnings joined. What a frame is, is up to the
 * format: frames are numbers here.
 */
#ifndef COLLECTOR_CALL_TREE_H
#define COLLECTOR_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

struct model;

/* Node 0 is the root, the stack without frames. Its frame has no meaning. */
struct call_node {
	uint32_t parent;	/* an index below that of the node; of the root: 0 */
	uint32_t frame;
};

struct call_tree {
	struct call_node *nodes;	/* in the order of first use by a sample */
	size_t nr;
	/* By index in model.stacks. Only stacks that samples have are set. */
	uint32_t *node_of_stack;

	/* The rest is private. */
	size_t room;
	struct hash_index index;	/* nodes by parent and frame */
};

/*
 * Joins the stacks of all samples. frame_of_line has the frame of each of model.lines, and
 * frame_of_location that of each of model.locations without lines. call_tree_fini() frees the
 * tree, also after an error.
 * Returns: 0, -ENOMEM, or -EOVERFLOW beyond 2^31 nodes.
 */
int call_tree_init(struct call_tree *t, const struct model *m, const uint32_t *frame_of_line,
		   const uint32_t *frame_of_location);

/* Frees the tree. t may be all zeroes. */
void call_tree_fini(struct call_tree *t);

#endif /* COLLECTOR_CALL_TREE_H */
