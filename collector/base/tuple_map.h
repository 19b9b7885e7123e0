/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash map from tuples of 64-bit numbers to ids and counts. A tuple is, for example, the
 * addresses of a stack, the location ids of a stack, or a key of several fields. Memory grows
 * with the number of distinct tuples and not with the number of additions.
 */
#ifndef COLLECTOR_TUPLE_MAP_H
#define COLLECTOR_TUPLE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct tuple_map;

/*
 * One tuple. The user of the map gives the tag its meaning: tuples with different tags are
 * different, even with equal frames.
 */
struct tuple {
	uint64_t tag;
	/* Sum of the counts that were added. */
	uint64_t count;
	/* Length of the tuple. */
	uint32_t nr_frames;
	/* Explicit padding; 0. */
	uint32_t pad;
	/* The numbers of the tuple; not always frames. */
	uint64_t frames[];
};

/*
 * Makes an empty map for at most max_tuples distinct tuples. tuple_map_free() frees it.
 * Returns: the map, or NULL with errno ENOMEM.
 */
struct tuple_map *tuple_map_new(size_t max_tuples);

/* Frees the map and its tuples. s may be NULL. */
void tuple_map_free(struct tuple_map *s);

/*
 * Adds count to the tuple of this tag and these frames. A new tuple is copied. frames may be
 * NULL if nr_frames is 0.
 * Returns: the id of the tuple; ids count 0, 1, ... in the order of first appearance. -ENOSPC if
 * the map already holds max_tuples tuples, or -ENOMEM. On failure no tuple was added or changed.
 */
int64_t tuple_map_add(struct tuple_map *s, uint64_t tag, const uint64_t *frames, uint32_t nr_frames,
		      uint64_t count);

/* Returns the id of the tuple with this tag and these frames, or -ENOENT. */
int64_t tuple_map_find(const struct tuple_map *s, uint64_t tag, const uint64_t *frames,
		       uint32_t nr_frames);

/* Returns the number of distinct tuples. */
size_t tuple_map_nr(const struct tuple_map *s);

/*
 * Returns the tuple with an id below tuple_map_nr(). The map owns it; it stays at its address until
 * tuple_map_clear() or tuple_map_free().
 */
const struct tuple *tuple_map_at(const struct tuple_map *s, size_t id);

/*
 * Removes all tuples; ids start at 0 again. The map keeps memory for an ordinary number of
 * tuples (16384) and frees the memory that a burst took beyond that.
 */
void tuple_map_clear(struct tuple_map *s);

#endif /* COLLECTOR_TUPLE_MAP_H */
