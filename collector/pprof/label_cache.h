/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The label sets of the last samples, by the bytes of their labels in the file. Most samples repeat
 * the labels of an earlier one, and need neither be read nor looked up again.
 *
 * An entry is replaced by the next one in its place. Labels of over LABEL_CACHE_MAX_BYTES have no
 * entry, so the cache has a fixed size.
 */
#ifndef COLLECTOR_LABEL_CACHE_H
#define COLLECTOR_LABEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#define LABEL_CACHE_ENTRIES	256
#define LABEL_CACHE_MAX_BYTES	59

struct label_cache_entry {
	uint32_t label_set;		/* index in the model */
	uint8_t len;			/* 0 if the entry is free */
	uint8_t bytes[LABEL_CACHE_MAX_BYTES];
};

/* A cache of all zeroes is empty. */
struct label_cache {
	struct label_cache_entry entries[LABEL_CACHE_ENTRIES];
};

/* Returns the place for these bytes, or NULL if they are too many. */
static inline struct label_cache_entry *label_cache_at(struct label_cache *c, const uint8_t *bytes,
						       size_t len)
{
	if (len > LABEL_CACHE_MAX_BYTES)
		return NULL;
	return &c->entries[XXH3_64bits(bytes, len) % LABEL_CACHE_ENTRIES];
}

/* Is the entry the one of these bytes? */
static inline bool label_cache_holds(const struct label_cache_entry *e, const uint8_t *bytes,
				     size_t len)
{
	return e->len == len && !memcmp(e->bytes, bytes, len);
}

/* Replaces the entry. */
static inline void label_cache_set(struct label_cache_entry *e, const uint8_t *bytes, size_t len,
				   uint32_t label_set)
{
	e->label_set = label_set;
	e->len = len;
	memcpy(e->bytes, bytes, len);
}

#endif /* COLLECTOR_LABEL_CACHE_H */
