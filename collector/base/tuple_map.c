// SPDX-License-Identifier: GPL-2.0
#include "base/tuple_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Inlined, the map takes a fifth more stacks a second: `make bench`. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_index.h"

#define STACKS_FIRST_SLOTS	256

/* What tuple_map_clear() keeps: enough for 16 Ki stacks of ordinary depth. */
#define STACKS_KEEP_SLOTS	((size_t)32 << 10)
#define STACKS_KEEP_IDS		((size_t)16 << 10)
#define STACKS_KEEP_BYTES	((size_t)4 << 20)

struct tuple_map {
	struct arena arena;
	struct hash_index slots;
	struct tuple **by_id;
	size_t nr;
	size_t room;		/* of by_id */
	size_t max;
};

struct tuple_map *tuple_map_new(size_t max_stacks)
{
	struct tuple_map *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (hash_index_init(&s->slots, STACKS_FIRST_SLOTS)) {
		free(s);
		errno = ENOMEM;
		return NULL;
	}
	s->max = max_stacks < HASH_INDEX_MAX_IDS ? max_stacks : HASH_INDEX_MAX_IDS;
	return s;
}

void tuple_map_free(struct tuple_map *s)
{
	if (!s)
		return;
	arena_fini(&s->arena);
	hash_index_fini(&s->slots);
	free(s->by_id);
	free(s);
}

/*
 * The tag is mixed in behind: as XXH3's seed it would cost a new secret for
 * every stack deeper than 30. The upper half of a product depends on all bits.
 */
static uint32_t hash_stack(uint64_t tag, const uint64_t *frames, uint32_t nr)
{
	uint64_t hash = XXH3_64bits(frames, nr * sizeof(*frames)) ^ tag;

	hash ^= hash >> 32;
	return (hash * 0x9e3779b97f4a7c15) >> 32;
}

static bool is_stack(const struct tuple *st, uint64_t tag, const uint64_t *frames, uint32_t nr)
{
	/* memcmp() must not see the NULL that may come with no frames */
	return st->tag == tag && st->nr_frames == nr &&
	       (!nr || !memcmp(st->frames, frames, nr * sizeof(*frames)));
}

static struct tuple *new_stack(struct tuple_map *s, uint64_t tag, const uint64_t *frames,
			       uint32_t nr)
{
	struct tuple *st = arena_alloc(&s->arena, sizeof(*st) + nr * sizeof(*frames));

	if (!st)
		return NULL;
	*st = (struct tuple){ .tag = tag, .nr_frames = nr };
	if (nr)
		memcpy(st->frames, frames, nr * sizeof(*frames));
	return st;
}

static int64_t add_new(struct tuple_map *s, uint32_t hash, uint64_t tag, const uint64_t *frames,
		       uint32_t nr, uint64_t count)
{
	struct tuple *st, **by_id;

	if (s->nr >= s->max)
		return -ENOSPC;
	by_id = array_grow(s->by_id, &s->room, s->nr + 1, sizeof(*by_id));
	if (!by_id)
		return -ENOMEM;
	s->by_id = by_id;
	if (hash_index_reserve(&s->slots, s->nr + 1))
		return -ENOMEM;
	st = new_stack(s, tag, frames, nr);
	if (!st)
		return -ENOMEM;
	st->count = count;
	by_id[s->nr] = st;
	hash_index_put(&s->slots, hash, ++s->nr);
	return s->nr - 1;
}

static int64_t find(const struct tuple_map *s, uint32_t hash, uint64_t tag, const uint64_t *frames,
		    uint32_t nr)
{
	uint32_t id;
	size_t i;

	for (i = hash_index_first(&s->slots, hash); s->slots.slot[i].id1;
	     i = hash_index_next(&s->slots, i)) {
		if (s->slots.slot[i].hash != hash)
			continue;
		id = s->slots.slot[i].id1 - 1;
		if (is_stack(s->by_id[id], tag, frames, nr))
			return id;
	}
	return -ENOENT;
}

int64_t tuple_map_find(const struct tuple_map *s, uint64_t tag, const uint64_t *frames,
		       uint32_t nr_frames)
{
	return find(s, hash_stack(tag, frames, nr_frames), tag, frames, nr_frames);
}

int64_t tuple_map_add(struct tuple_map *s, uint64_t tag, const uint64_t *frames, uint32_t nr_frames,
		      uint64_t count)
{
	uint32_t hash = hash_stack(tag, frames, nr_frames);
	int64_t id = find(s, hash, tag, frames, nr_frames);

	if (id < 0)
		return add_new(s, hash, tag, frames, nr_frames, count);
	s->by_id[id]->count += count;
	return id;
}

size_t tuple_map_nr(const struct tuple_map *s)
{
	return s->nr;
}

const struct tuple *tuple_map_at(const struct tuple_map *s, size_t id)
{
	return s->by_id[id];
}

void tuple_map_clear(struct tuple_map *s)
{
	struct tuple **less = NULL;

	arena_clear(&s->arena, STACKS_KEEP_BYTES);
	hash_index_clear(&s->slots, STACKS_KEEP_SLOTS);
	if (s->room > STACKS_KEEP_IDS)
		less = reallocarray(s->by_id, STACKS_KEEP_IDS, sizeof(*less));
	if (less) {
		s->by_id = less;
		s->room = STACKS_KEEP_IDS;
	}
	s->nr = 0;
}
