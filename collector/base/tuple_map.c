// SPDX-License-Identifier: GPL-2.0
#include "base/tuple_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* With XXH3 inlined, the map adds a fifth more stacks a second, by `make bench`. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_index.h"

#define FIRST_SLOTS	256

/* tuple_map_clear() keeps this much memory: enough for 16 Ki stacks of ordinary depth. */
#define KEEP_SLOTS	((size_t)32 << 10)
#define KEEP_IDS	((size_t)16 << 10)
#define KEEP_BYTES	((size_t)4 << 20)

struct tuple_map {
	struct arena arena;
	struct hash_index slots;
	struct tuple **by_id;
	size_t nr;
	size_t room;		/* of by_id */
	size_t max;
};

struct tuple_map *tuple_map_new(size_t max_tuples)
{
	struct tuple_map *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (hash_index_init(&s->slots, FIRST_SLOTS)) {
		free(s);
		errno = ENOMEM;
		return NULL;
	}
	s->max = max_tuples < HASH_INDEX_MAX_IDS ? max_tuples : HASH_INDEX_MAX_IDS;
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
 * The tag is mixed in after XXH3. As XXH3's seed it would be slow: for inputs over 240 bytes
 * (30 frames) XXH3 derives a secret of 192 bytes from the seed at each call. The upper half of
 * the product depends on all bits of the hash.
 */
static uint32_t hash_tuple(uint64_t tag, const uint64_t *frames, uint32_t nr)
{
	uint64_t hash = XXH3_64bits(frames, nr * sizeof(*frames)) ^ tag;

	hash ^= hash >> 32;
	return (hash * 0x9e3779b97f4a7c15) >> 32;
}

static bool is_equal(const struct tuple *t, uint64_t tag, const uint64_t *frames, uint32_t nr)
{
	/* frames may be NULL if nr is 0, and memcmp() must not get NULL. */
	return t->tag == tag && t->nr_frames == nr &&
	       (!nr || !memcmp(t->frames, frames, nr * sizeof(*frames)));
}

static struct tuple *new_tuple(struct tuple_map *s, uint64_t tag, const uint64_t *frames,
			       uint32_t nr)
{
	struct tuple *t = arena_alloc(&s->arena, sizeof(*t) + nr * sizeof(*frames));

	if (!t)
		return NULL;
	*t = (struct tuple){ .tag = tag, .nr_frames = nr };
	if (nr)
		memcpy(t->frames, frames, nr * sizeof(*frames));
	return t;
}

static int64_t add_new(struct tuple_map *s, uint32_t hash, uint64_t tag, const uint64_t *frames,
		       uint32_t nr, uint64_t count)
{
	struct tuple *t, **by_id;

	if (s->nr >= s->max)
		return -ENOSPC;
	by_id = array_grow(s->by_id, &s->room, s->nr + 1, sizeof(*by_id));
	if (!by_id)
		return -ENOMEM;
	s->by_id = by_id;
	if (hash_index_reserve(&s->slots, s->nr + 1))
		return -ENOMEM;
	t = new_tuple(s, tag, frames, nr);
	if (!t)
		return -ENOMEM;
	t->count = count;
	by_id[s->nr] = t;
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
		if (is_equal(s->by_id[id], tag, frames, nr))
			return id;
	}
	return -ENOENT;
}

int64_t tuple_map_find(const struct tuple_map *s, uint64_t tag, const uint64_t *frames,
		       uint32_t nr_frames)
{
	return find(s, hash_tuple(tag, frames, nr_frames), tag, frames, nr_frames);
}

int64_t tuple_map_add(struct tuple_map *s, uint64_t tag, const uint64_t *frames, uint32_t nr_frames,
		      uint64_t count)
{
	uint32_t hash = hash_tuple(tag, frames, nr_frames);
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

	arena_clear(&s->arena, KEEP_BYTES);
	hash_index_clear(&s->slots, KEEP_SLOTS);
	if (s->room > KEEP_IDS)
		less = reallocarray(s->by_id, KEEP_IDS, sizeof(*less));
	if (less) {
		s->by_id = less;
		s->room = KEEP_IDS;
	}
	s->nr = 0;
}
