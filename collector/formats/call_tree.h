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
struct profile_fault;

/* Node 0 is the root, the stack without frames. Its frame has no meaning. */
struct call_node {
	uint32_t parent;	/* an index below that of the node; of the root: 0 */
	uint32_t frame;
};

struct call_tree {
	struct call_node *nodes;	/* in the order of first use by a sample */
	size_t nr;
	uint32_t *node_of_stack;	/* by index in model.stacks; only stacks that samples have */

	/* The rest is private. */
	size_t room;
	struct hash_index index;	/* nodes by parent and frame */
	uint32_t *path;			/* room for call_tree_path() */
	size_t path_room;
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

/*
 * Adds the value of a sample, of a sample type, to the sum of its node.
 * Returns: 0; or -EBADMSG if the sum does not fit in 63 bits, and then *fault is set.
 */
int call_tree_add(const struct call_tree *t, const struct model *m, size_t sample, uint32_t type,
		  int64_t *sums, struct profile_fault *fault);

/*
 * Returns: the frames from the root to a node, *nr of them, valid until the next call; or NULL
 * with errno ENOMEM.
 */
const uint32_t *call_tree_path(struct call_tree *t, uint32_t node, size_t *nr);

#endif /* COLLECTOR_CALL_TREE_H */
