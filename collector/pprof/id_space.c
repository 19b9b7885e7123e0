// SPDX-License-Identifier: GPL-2.0
#include "pprof/id_space.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/tuple_map.h"

void id_space_fini(struct id_space *s)
{
	free(s->defined);
	tuple_map_free(s->large);
	hash_index_fini(&s->index);
	*s = (struct id_space){ 0 };
}

int64_t id_space_large_handle(struct id_space *s, uint64_t id)
{
	int64_t nr;

	if (!s->large)
		s->large = tuple_map_new(ID_SPACE_SMALL - 1);
	if (!s->large)
		return -ENOMEM;
	nr = tuple_map_add(s->large, 0, &id, 1, 0);
	return nr < 0 ? -ENOMEM : (int64_t)ID_SPACE_SMALL + nr;
}

int id_space_define(struct id_space *s, uint32_t handle)
{
	uint32_t *defined = array_grow(s->defined, &s->room, s->nr + 1, sizeof(*defined));

	if (!defined || s->nr == HASH_INDEX_MAX_IDS)
		return -ENOMEM;
	s->defined = defined;
	s->is_sparse |= handle != s->nr;
	defined[s->nr++] = handle;
	return 0;
}

/* Handles count up, as tids do. */
static uint32_t find_sparse(const struct id_space *s, uint32_t handle)
{
	size_t i = hash_index_first(&s->index, hash_index_hash_tid(handle));

	for (; s->index.slot[i].id1; i = hash_index_next(&s->index, i))
		if (s->defined[s->index.slot[i].id1 - 1] == handle)
			return s->index.slot[i].id1 - 1;
	return UINT32_MAX;
}

int id_space_finish(struct id_space *s, uint32_t *twice)
{
	size_t nr_slots = 16;

	*twice = UINT32_MAX;
	if (!s->is_sparse)
		return 0;
	while (nr_slots / 4 * 3 < s->nr)
		nr_slots *= 2;
	if (hash_index_init(&s->index, nr_slots))
		return -ENOMEM;
	for (size_t i = 0; i < s->nr; i++) {
		if (*twice == UINT32_MAX && find_sparse(s, s->defined[i]) != UINT32_MAX)
			*twice = i;
		hash_index_put(&s->index, hash_index_hash_tid(s->defined[i]), i + 1);
	}
	return 0;
}

uint32_t id_space_find(const struct id_space *s, uint32_t handle)
{
	if (s->is_sparse)
		return find_sparse(s, handle);
	return handle < s->nr ? handle : UINT32_MAX;
}

uint64_t id_space_id(const struct id_space *s, uint32_t handle)
{
	if (handle < ID_SPACE_SMALL)
		return (uint64_t)handle + 1;
	return tuple_map_at(s->large, handle - ID_SPACE_SMALL)->frames[0];
}

uint64_t *id_space_ids(const struct id_space *s)
{
	uint64_t *ids = malloc(s->nr * sizeof(*ids));

	for (size_t i = 0; ids && i < s->nr; i++)
		ids[i] = id_space_id(s, s->defined[i]);
	return ids;
}
