/* SPDX-License-Identifier: GPL-2.0 */
/* The value of each frame of a flame graph, over all of its nodes. */
#ifndef COLLECTOR_FLAME_TOTALS_H
#define COLLECTOR_FLAME_TOTALS_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;

struct flame_total {
	uint32_t frame;
	uint64_t self;		/* of samples whose leaf is the frame */
	uint64_t total;		/* of samples whose stack has the frame; each counts once */
};

/*
 * Adds up the widths (flame_tree_width()) of samples by frame. The frame with the largest self is
 * the first; the root is left out.
 * Returns: an array of *nr, which the caller frees; or NULL with errno ENOMEM.
 */
struct flame_total *flame_totals_new(const struct flame_tree *t, uint32_t type, size_t *nr);

#endif /* COLLECTOR_FLAME_TOTALS_H */
