/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays that grow by doubling.
 */
#ifndef COLLECTOR_ARRAY_H
#define COLLECTOR_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for nr items of size bytes in the array at items, which has room
 * for *room and is NULL at first. Where the array is then, or NULL with errno
 * ENOMEM and all as it was.
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
