/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ids of one table of a profile file. Ids are any 64-bit numbers except 0, and may be used
 * before the table defines them. While a file is read, an id stands as a handle of 32 bits; at the
 * end, handles become indices in the table.
 *
 * Nearly all files number their tables 1, 2, ... Then handle and index are the same, and nothing
 * needs a look-up.
 */
#ifndef COLLECTOR_ID_SPACE_H
#define COLLECTOR_ID_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

struct tuple_map;

/* An id_space of all zeroes is empty. id_space_fini() frees it. */
struct id_space {
	uint32_t *defined;		/* the handles of the table's entries */
	size_t nr;
	size_t room;
	bool is_sparse;			/* not numbered 1, 2, ... */
	struct tuple_map *large;	/* ids from ID_SPACE_SMALL on */
	struct hash_index index;	/* of defined, if is_sparse */
};

/* The handle of an id up to this is the id - 1. */
#define ID_SPACE_SMALL	((uint64_t)1 << 31)

/* Frees the memory. */
void id_space_fini(struct id_space *s);

/* The slow part of id_space_handle(). */
int64_t id_space_large_handle(struct id_space *s, uint64_t id);

/* Returns the handle of an id that is not 0, or -ENOMEM. */
static inline int64_t id_space_handle(struct id_space *s, uint64_t id)
{
	return id - 1 < ID_SPACE_SMALL ? (int64_t)(id - 1) : id_space_large_handle(s, id);
}

/* The table's next entry has this handle. Returns: 0, or -ENOMEM. */
int id_space_define(struct id_space *s, uint32_t handle);

/*
 * Call this after the last id_space_define(), before id_space_find().
 * Returns: 0, or -ENOMEM. *twice becomes the index of an entry with the id of an earlier one,
 * or UINT32_MAX if all ids differ.
 */
int id_space_finish(struct id_space *s, uint32_t *twice);

/* Returns the index of the entry with this handle, or UINT32_MAX if there is none. */
uint32_t id_space_find(const struct id_space *s, uint32_t handle);

/* Returns the id that a handle stands for. */
uint64_t id_space_id(const struct id_space *s, uint32_t handle);

/* Returns the ids of all entries, which the caller frees; or NULL if memory is short. */
uint64_t *id_space_ids(const struct id_space *s);

#endif /* COLLECTOR_ID_SPACE_H */
