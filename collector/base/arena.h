/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is given out in small pieces with stable addresses, and taken
 * back all at once.
 */
#ifndef COLLECTOR_ARENA_H
#define COLLECTOR_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Below malloc's mmap threshold, so that chunks cost no system call each. */
#define ARENA_CHUNK_BYTES	((size_t)(64 << 10) - 64)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	uint64_t data[];
};

/* All zero is an empty arena. */
struct arena {
	struct arena_chunk *chunks;	/* the first is being filled */
	struct arena_chunk *spare;
	size_t used;			/* bytes of the first chunk */
};

static inline struct arena_chunk *arena_get_chunk(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = a->spare;

	if (c && c->size >= bytes) {
		a->spare = c->next;
		return c;
	}
	if (bytes < ARENA_CHUNK_BYTES)
		bytes = ARENA_CHUNK_BYTES;
	c = malloc(sizeof(*c) + bytes);
	if (c)
		c->size = bytes;
	return c;
}

/* bytes of memory, aligned to 8 and not cleared; NULL with errno ENOMEM. */
static inline void *arena_alloc(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = a->chunks;
	void *mem;

	bytes = (bytes + 7) & ~(size_t)7;
	if (!c || c->size - a->used < bytes) {
		c = arena_get_chunk(a, bytes);
		if (!c)
			return NULL;
		c->next = a->chunks;
		a->chunks = c;
		a->used = 0;
	}
	mem = (char *)c->data + a->used;
	a->used += bytes;
	return mem;
}

/* Takes everything back; keeps up to keep_bytes of it for later use. */
static inline void arena_clear(struct arena *a, size_t keep_bytes)
{
	struct arena_chunk *c, *next, *all[] = { a->chunks, a->spare };
	size_t i;

	a->chunks = NULL;
	a->spare = NULL;
	for (i = 0; i < 2; i++) {
		for (c = all[i]; c; c = next) {
			next = c->next;
			if (c->size > keep_bytes) {
				free(c);
				continue;
			}
			keep_bytes -= c->size;
			c->next = a->spare;
			a->spare = c;
		}
	}
}

/* Frees everything; the arena is empty then. */
static inline void arena_fini(struct arena *a)
{
	arena_clear(a, 0);
}

#endif /* COLLECTOR_ARENA_H */
