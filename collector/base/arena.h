/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An arena: it hands out small pieces of memory with stable addresses, and frees them all at
 * once. A single piece cannot be freed.
 */
#ifndef COLLECTOR_ARENA_H
#define COLLECTOR_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * The chunk stays below malloc's mmap threshold (128 KiB): a chunk costs no system call of its
 * own.
 */
#define ARENA_CHUNK_BYTES	((size_t)(64 << 10) - 64)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	uint64_t data[];
};

/* An arena of all zeroes is empty and ready for use. */
struct arena {
	struct arena_chunk *chunks;	/* the first chunk is the one being filled */
	/* Chunks that arena_clear() kept for later use. */
	struct arena_chunk *spare;
	size_t used;			/* used bytes of the first chunk */
};

/*
 * Internal to this header. Returns a chunk with room for at least bytes, or NULL with errno
 * ENOMEM.
 */
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

/*
 * Allocates bytes of memory, aligned to 8 and not cleared. The arena owns the memory, until
 * arena_clear() or arena_fini().
 * Returns: the memory, or NULL with errno ENOMEM.
 */
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

/*
 * Takes back all memory that the arena handed out: every earlier pointer becomes invalid. Up to
 * keep_bytes of chunks stay allocated for later use; the rest is freed.
 */
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

/* Frees all memory. The arena is empty afterwards and may be used again. */
static inline void arena_fini(struct arena *a)
{
	arena_clear(a, 0);
}

#endif /* COLLECTOR_ARENA_H */
