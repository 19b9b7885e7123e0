/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The index of a hash table whose entries are numbered 0, 1, ...: open
 * addressing in slots of 8 bytes. The hash in the slot spares almost every
 * look at an entry that is not the one, and makes growing cheap.
 *
 * A look-up walks from slots_first() by slots_next() to a slot that is free:
 *
 *	for (i = slots_first(s, hash); s->slot[i].id1; i = slots_next(s, i))
 */
#ifndef COLLECTOR_SLOTS_H
#define COLLECTOR_SLOTS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* So many ids leave slots free and id + 1 in its 32 bits. */
#define SLOTS_MAX_IDS	((size_t)1 << 31)

struct slot {
	uint32_t hash;
	uint32_t id1;		/* id + 1; 0: the slot is free */
};

struct slots {
	struct slot *slot;
	size_t mask;		/* number of slots - 1, which is a power of two */
};

/* nr is a power of two. 0 or -ENOMEM. */
static inline int slots_init(struct slots *s, size_t nr)
{
	s->slot = calloc(nr, sizeof(*s->slot));
	if (!s->slot)
		return -ENOMEM;
	s->mask = nr - 1;
	return 0;
}

static inline void slots_fini(struct slots *s)
{
	free(s->slot);
}

/* Tids come in sequence: multiplying keeps neighbours from probing each other. */
static inline uint32_t slots_hash_tid(uint32_t tid)
{
	return tid * 2654435769u;
}

static inline size_t slots_first(const struct slots *s, uint32_t hash)
{
	return hash & s->mask;
}

static inline size_t slots_next(const struct slots *s, size_t i)
{
	return (i + 1) & s->mask;
}

/* Notes an id that is not in there; slots_reserve() has made room. */
static inline void slots_put(struct slots *s, uint32_t hash, uint32_t id1)
{
	size_t i = slots_first(s, hash);

	while (s->slot[i].id1)
		i = slots_next(s, i);
	s->slot[i] = (struct slot){ .hash = hash, .id1 = id1 };
}

/*
 * Makes room for nr_ids ids in all. Doubles at three quarters: fuller, linear
 * probing gets long; emptier, it only takes memory. 0 or -ENOMEM.
 */
static inline int slots_reserve(struct slots *s, size_t nr_ids)
{
	size_t i, nr = s->mask + 1;
	struct slots grown;

	if (nr_ids <= nr / 4 * 3)
		return 0;
	if (slots_init(&grown, nr * 2))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (s->slot[i].id1)
			slots_put(&grown, s->slot[i].hash, s->slot[i].id1);
	slots_fini(s);
	*s = grown;
	return 0;
}

/* Forgets all ids, and shrinks to max_nr slots, a power of two, if larger. */
static inline void slots_clear(struct slots *s, size_t max_nr)
{
	struct slot *less = NULL;

	if (s->mask >= max_nr)
		less = realloc(s->slot, max_nr * sizeof(*less));
	if (less) {
		s->slot = less;
		s->mask = max_nr - 1;
	}
	memset(s->slot, 0, (s->mask + 1) * sizeof(*s->slot));
}

#endif /* COLLECTOR_SLOTS_H */
