/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The index of a hash table whose entries are numbered 0, 1, ... (their ids). The entries
 * themselves are the user's: the index holds hashes and ids only.
 *
 * The index uses open addressing with slots of 8 bytes. A slot holds the hash, too. So a look-up
 * almost never reads an entry with another key, and growing needs no entry at all.
 *
 * A look-up walks from hash_index_first() by hash_index_next() to the first free slot:
 *
 *	for (i = hash_index_first(s, hash); s->slot[i].id1; i = hash_index_next(s, i))
 */
#ifndef COLLECTOR_HASH_INDEX_H
#define COLLECTOR_HASH_INDEX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Limit of ids. id + 1 must fit in hash_slot.id1, where 0 is a free slot. */
#define HASH_INDEX_MAX_IDS	((size_t)1 << 31)

struct hash_slot {
	uint32_t hash;
	uint32_t id1;		/* id + 1; 0 if the slot is free */
};

struct hash_index {
	struct hash_slot *slot;
	size_t mask;		/* number of slots - 1; the number is a power of two */
};

/*
 * Makes an empty index of nr slots; nr is a power of two. hash_index_fini() frees it.
 * Returns: 0, or -ENOMEM.
 */
static inline int hash_index_init(struct hash_index *s, size_t nr)
{
	s->slot = calloc(nr, sizeof(*s->slot));
	if (!s->slot)
		return -ENOMEM;
	s->mask = nr - 1;
	return 0;
}

/* Frees the slots. */
static inline void hash_index_fini(struct hash_index *s)
{
	free(s->slot);
}

/*
 * Hashes a thread id. Tids are handed out in sequence. Without the multiplication they would
 * fill neighbouring slots, and linear probing would walk over all of them.
 */
static inline uint32_t hash_index_hash_tid(uint32_t tid)
{
	return tid * 2654435769u;
}

/* Hashes a pair of numbers. The upper half of the product depends on all bits of both. */
static inline uint32_t hash_index_hash_pair(uint32_t a, uint32_t b)
{
	return (((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15) >> 32;
}

/* The slot where a look-up of this hash begins. */
static inline size_t hash_index_first(const struct hash_index *s, uint32_t hash)
{
	return hash & s->mask;
}

/* The slot to probe after slot i. */
static inline size_t hash_index_next(const struct hash_index *s, size_t i)
{
	return (i + 1) & s->mask;
}

/*
 * Returns: id + 1 of the first entry with this hash, or 0. A look-up nearly always finds this
 * entry, so its memory can be prefetched.
 */
static inline uint32_t hash_index_find_hash(const struct hash_index *s, uint32_t hash)
{
	size_t i = hash_index_first(s, hash);

	while (s->slot[i].id1 && s->slot[i].hash != hash)
		i = hash_index_next(s, i);
	return s->slot[i].id1;
}

/*
 * Adds an id that the index does not hold yet. id1 is id + 1. The caller has made room with
 * hash_index_reserve(): without a free slot this does not return.
 */
static inline void hash_index_put(struct hash_index *s, uint32_t hash, uint32_t id1)
{
	size_t i = hash_index_first(s, hash);

	while (s->slot[i].id1)
		i = hash_index_next(s, i);
	s->slot[i] = (struct hash_slot){ .hash = hash, .id1 = id1 };
}

/*
 * Makes room for nr_ids ids in total; nr_ids is at most one more than the index holds. Doubles the
 * slots when more than three quarters of them would be full. A fuller index needs long probes, and
 * an emptier one wastes memory.
 * Returns: 0, or -ENOMEM. On failure the index is unchanged.
 */
static inline int hash_index_reserve(struct hash_index *s, size_t nr_ids)
{
	size_t i, nr = s->mask + 1;
	struct hash_index grown;

	if (nr_ids <= nr / 4 * 3)
		return 0;
	if (hash_index_init(&grown, nr * 2))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (s->slot[i].id1)
			hash_index_put(&grown, s->slot[i].hash, s->slot[i].id1);
	hash_index_fini(s);
	*s = grown;
	return 0;
}

/*
 * Removes all ids. A larger index shrinks to max_nr slots, a power of two; without memory for
 * that it keeps its size.
 */
static inline void hash_index_clear(struct hash_index *s, size_t max_nr)
{
	struct hash_slot *less = NULL;

	if (s->mask >= max_nr)
		less = realloc(s->slot, max_nr * sizeof(*less));
	if (less) {
		s->slot = less;
		s->mask = max_nr - 1;
	}
	memset(s->slot, 0, (s->mask + 1) * sizeof(*s->slot));
}

#endif /* COLLECTOR_HASH_INDEX_H */
