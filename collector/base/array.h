/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays that grow by doubling.
 */
#ifndef COLLECTOR_ARRAY_H
#define COLLECTOR_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Grows an array on the heap, so that it has room for nr items of size bytes each. items is the
 * array, NULL at first; *room is the number of items that it has room for, 0 at first.
 *
 * The array may move: the caller stores the returned address, and later frees it with free().
 *
 * Returns: the array, or NULL with errno ENOMEM. On failure the array and *room are unchanged,
 * and items is still valid.
 */
static inline void *array_grow(void *items, size_t *room, size_t nr, size_t size)
{
	size_t more = *room ? *room : 16;

	if (items && nr <= *room)
		return items;
	while (more < nr)
		more *= 2;
	items = reallocarray(items, more, size);
	if (items)
		*room = more;
	return items;
}

#endif /* COLLECTOR_ARRAY_H */
