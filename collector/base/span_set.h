/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of distinct spans. A span is a row of items of one size, for example the locations of a
 * stack. Equal spans have the same id. Ids count 0, 1, ... in the order of first appearance.
 *
 * All items are in one array. A span costs its items, 4 bytes, and about 16 bytes in the index. The
 * index can be freed, and the next span_set_add() builds it again.
 *
 * Items are compared as bytes: the caller sets their padding to 0.
 */
#ifndef COLLECTOR_SPAN_SET_H
#define COLLECTOR_SPAN_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

struct span_set {
	/* Span i has the items first[i] to first[i + 1] - 1. */
	uint32_t *first;
	size_t nr;
	size_t first_room;
	char *items;
	size_t item_room;
	size_t item_size;
	struct hash_index index;	/* without slots if it was freed */
};

/*
 * Makes a set with the empty span, whose id is 0. span_set_fini() frees it, also after an error.
 * Returns: 0, or -ENOMEM.
 */
int span_set_init(struct span_set *s, size_t item_size);

/* Frees the memory of the set. A set of all zeroes is allowed. */
void span_set_fini(struct span_set *s);

/*
 * Finds or adds a span of nr items, which are copied.
 * Returns: its id; -ENOMEM; or -EOVERFLOW beyond 2^32 - 1 items or 2^31 spans.
 */
int64_t span_set_add(struct span_set *s, const void *items, size_t nr);

/*
 * Makes room for nr items after the last span. The caller writes a span there, and
 * span_set_take() adds it without a copy. The room is valid until the next call with this set.
 * Returns: the room, or NULL with errno: ENOMEM, or EOVERFLOW beyond 2^32 - 1 items.
 */
void *span_set_reserve(struct span_set *s, size_t nr);

/* Finds or adds the span of nr items that is in the room. Returns: as span_set_add(). */
int64_t span_set_take(struct span_set *s, size_t nr);

/*
 * Spans that wait in the room, one after the other, and are added together. In a large set most of
 * the time of an addition is the wait for memory: the waits of a batch overlap.
 */
#define SPAN_BATCH_MAX	32

/* A batch of all zeroes is empty. */
struct span_batch {
	size_t nr;
	size_t nr_items;		/* of all its spans */
	uint32_t len[SPAN_BATCH_MAX];
	/* Set by span_set_take_batch(). */
	uint32_t hash[SPAN_BATCH_MAX];
	size_t slot[SPAN_BATCH_MAX];	/* of the index */
	uint32_t id[SPAN_BATCH_MAX];
};

/*
 * Puts a span of nr items into a batch that is not full. The items are in the room, after the
 * batch->nr_items of the spans before. Until span_set_take_batch(), nothing else is added to the
 * set.
 */
static inline void span_set_push(struct span_batch *batch, size_t nr)
{
	batch->len[batch->nr++] = nr;
	batch->nr_items += nr;
}

/*
 * Finds or adds the spans of a batch, in their order. Sets their ids, and the numbers to 0.
 * Returns: 0, or an error of span_set_add().
 */
int span_set_take_batch(struct span_set *s, struct span_batch *batch);

/* Frees the index and the spare room. A set that no span is added to any more needs neither. */
void span_set_trim(struct span_set *s);

/* Call this after items were changed: frees the index, which is built from the items. */
void span_set_drop_index(struct span_set *s);

/* The number of items of a span. */
static inline uint32_t span_set_len(const struct span_set *s, uint32_t id)
{
	return s->first[id + 1] - s->first[id];
}

/* The items of a span. The pointer is valid until the next span is added. */
static inline void *span_set_at(const struct span_set *s, uint32_t id)
{
	return s->items + s->first[id] * s->item_size;
}

/* The number of items of all spans. */
static inline uint32_t span_set_nr_items(const struct span_set *s)
{
	return s->first[s->nr];
}

#endif /* COLLECTOR_SPAN_SET_H */
