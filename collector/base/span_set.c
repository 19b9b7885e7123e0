// SPDX-License-Identifier: GPL-2.0
#include "base/span_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/array.h"
#include "base/huge_pages.h"

#define FIRST_SLOTS	256
#define CACHE_LINE	64

static uint32_t hash_span(const struct span_set *s, const void *items, size_t nr)
{
	return XXH3_64bits(items, nr * s->item_size);
}

int span_set_init(struct span_set *s, size_t item_size)
{
	*s = (struct span_set){ .item_size = item_size };
	s->first = array_grow(NULL, &s->first_room, 2, sizeof(*s->first));
	if (!s->first)
		return -ENOMEM;
	s->first[0] = 0;
	return span_set_add(s, NULL, 0) ? -ENOMEM : 0;
}

void span_set_fini(struct span_set *s)
{
	free(s->first);
	free(s->items);
	hash_index_fini(&s->index);
	*s = (struct span_set){ 0 };
}

/*
 * Slots are read at random. With pages of 4 KiB, most reads of a large index miss the TLB, too.
 * calloc() has just mapped a large index, and no page of it is touched yet. So the kernel can still
 * give it huge pages.
 */
static int init_index(struct hash_index *index, size_t nr_slots)
{
	size_t bytes = nr_slots * sizeof(*index->slot);

	if (hash_index_init(index, nr_slots))
		return -ENOMEM;
	huge_pages_advise(index->slot, bytes);
	return 0;
}

/* Doubles the index, as hash_index_reserve() does. */
static int grow_index(struct span_set *s)
{
	size_t nr_slots = s->index.mask + 1;
	struct hash_index grown;

	if (init_index(&grown, nr_slots * 2))
		return -ENOMEM;
	for (size_t i = 0; i < nr_slots; i++)
		if (s->index.slot[i].id1)
			hash_index_put(&grown, s->index.slot[i].hash, s->index.slot[i].id1);
	hash_index_fini(&s->index);
	s->index = grown;
	return 0;
}

/* Makes an index of all spans, with room for nr more. */
static int build_index(struct span_set *s, size_t nr)
{
	size_t nr_slots = FIRST_SLOTS;

	while (s->nr + nr > nr_slots / 4 * 3)
		nr_slots *= 2;
	if (init_index(&s->index, nr_slots))
		return -ENOMEM;
	for (size_t i = 0; i < s->nr; i++)
		hash_index_put(&s->index, hash_span(s, span_set_at(s, i), span_set_len(s, i)),
			       i + 1);
	return 0;
}

/* Makes room in the index for nr spans more, at most SPAN_BATCH_MAX. */
static int reserve_index(struct span_set *s, size_t nr)
{
	if (!s->index.slot)
		return build_index(s, nr);
	return s->nr + nr > (s->index.mask + 1) / 4 * 3 ? grow_index(s) : 0;
}

static bool is_equal(const struct span_set *s, uint32_t id, const void *items, size_t nr)
{
	return span_set_len(s, id) == nr &&
	       (!nr || !memcmp(span_set_at(s, id), items, nr * s->item_size));
}

void *span_set_reserve(struct span_set *s, size_t nr)
{
	uint32_t nr_items = span_set_nr_items(s);
	char *items;

	if (nr > UINT32_MAX - nr_items) {
		errno = EOVERFLOW;
		return NULL;
	}
	items = array_grow(s->items, &s->item_room, (size_t)nr_items + nr, s->item_size);
	if (!items)
		return NULL;
	s->items = items;
	return items + nr_items * s->item_size;
}

/* Adds the span in the room of span_set_reserve(), and puts it into a free slot of the index. */
static int64_t append(struct span_set *s, struct hash_slot *slot, uint32_t hash, size_t nr)
{
	uint32_t *first;

	if (s->nr == HASH_INDEX_MAX_IDS)
		return -EOVERFLOW;
	first = array_grow(s->first, &s->first_room, s->nr + 2, sizeof(*first));
	if (!first)
		return -ENOMEM;
	s->first = first;
	first[s->nr + 1] = first[s->nr] + nr;
	*slot = (struct hash_slot){ .hash = hash, .id1 = ++s->nr };
	return s->nr - 1;
}

static char *in_the_room(const struct span_set *s)
{
	return s->items + span_set_nr_items(s) * s->item_size;
}

/*
 * Finds or adds a span that is in the room, or after it. A new one moves to its start. The look-up
 * begins at slot i of the index, which has a free slot.
 */
static int64_t take(struct span_set *s, size_t i, uint32_t hash, const char *items, size_t nr)
{
	struct hash_slot *slot = s->index.slot;

	for (; slot[i].id1; i = hash_index_next(&s->index, i))
		if (slot[i].hash == hash && is_equal(s, slot[i].id1 - 1, items, nr))
			return slot[i].id1 - 1;
	if (nr && items != in_the_room(s))
		memmove(in_the_room(s), items, nr * s->item_size);
	return append(s, &slot[i], hash, nr);
}

int64_t span_set_take(struct span_set *s, size_t nr)
{
	uint32_t hash = hash_span(s, in_the_room(s), nr);

	if (reserve_index(s, 1))
		return -ENOMEM;
	return take(s, hash_index_first(&s->index, hash), hash, in_the_room(s), nr);
}

/*
 * Hashes the spans of a batch, and starts to load their slots. Not in span_set_push(): the end of
 * a span that was just written cannot be read before the CPU has stored it.
 */
static void hash_batch(const struct span_set *s, struct span_batch *batch)
{
	const char *items = in_the_room(s);

	for (size_t i = 0; i < batch->nr; i++) {
		batch->hash[i] = hash_span(s, items, batch->len[i]);
		__builtin_prefetch(&s->index.slot[hash_index_first(&s->index, batch->hash[i])]);
		items += batch->len[i] * s->item_size;
	}
}

/*
 * Sets batch->slot to where the look-ups end now. Starts to load the spans that those of the batch
 * are probably equal to.
 */
static void prefetch_spans(const struct span_set *s, struct span_batch *batch)
{
	const struct hash_slot *slot = s->index.slot;
	uint32_t found[SPAN_BATCH_MAX], bytes[SPAN_BATCH_MAX];
	size_t nr_found = 0;

	for (size_t i = 0; i < batch->nr; i++) {
		size_t at = hash_index_first(&s->index, batch->hash[i]);

		while (slot[at].id1 && slot[at].hash != batch->hash[i])
			at = hash_index_next(&s->index, at);
		batch->slot[i] = at;
		if (!slot[at].id1)
			continue;
		bytes[nr_found] = batch->len[i] * s->item_size;
		found[nr_found++] = slot[at].id1 - 1;
		__builtin_prefetch(&s->first[slot[at].id1 - 1]);
	}
	for (size_t i = 0; i < nr_found; i++) {
		const char *items = span_set_at(s, found[i]);

		for (uint32_t at = 0; at < bytes[i]; at += CACHE_LINE)
			__builtin_prefetch(items + at);
		if (bytes[i])	/* may be in one more line */
			__builtin_prefetch(items + bytes[i] - 1);
	}
}

int span_set_take_batch(struct span_set *s, struct span_batch *batch)
{
	const char *items = in_the_room(s);
	int64_t id;

	if (reserve_index(s, batch->nr))
		return -ENOMEM;
	hash_batch(s, batch);
	prefetch_spans(s, batch);
	for (size_t i = 0; i < batch->nr; i++) {
		id = take(s, batch->slot[i], batch->hash[i], items, batch->len[i]);
		if (id < 0)
			return id;
		batch->id[i] = id;
		items += batch->len[i] * s->item_size;
	}
	batch->nr = 0;
	batch->nr_items = 0;
	return 0;
}

int64_t span_set_add(struct span_set *s, const void *items, size_t nr)
{
	void *room = span_set_reserve(s, nr);

	if (!room)
		return -errno;
	if (nr)
		memcpy(room, items, nr * s->item_size);
	return span_set_take(s, nr);
}

void span_set_drop_index(struct span_set *s)
{
	hash_index_fini(&s->index);
	s->index = (struct hash_index){ 0 };
}

/* Returns items, or a copy that has no spare room. If memory is short, items stays as it is. */
static void *trim(void *items, size_t *room, size_t nr, size_t size)
{
	void *less = nr ? reallocarray(items, nr, size) : NULL;

	if (!less)
		return items;
	*room = nr;
	return less;
}

void span_set_trim(struct span_set *s)
{
	span_set_drop_index(s);
	s->items = trim(s->items, &s->item_room, span_set_nr_items(s), s->item_size);
	s->first = trim(s->first, &s->first_room, s->nr + 1, sizeof(*s->first));
}
