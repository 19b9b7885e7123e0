/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow by doubling. */
#ifndef COLLECTOR_ARRAY_H
#define COLLECTOR_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

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
	size_t more = *room ? *room : 16, whole;

	if (items && nr <= *room)
		return items;
	while (more < nr)
		more *= 2;
	whole = huge_pages_fill(more, size);
	if (whole >= nr)
		more = whole;
	items = reallocarray(items, more, size);
	if (!items)
		return NULL;
	huge_pages_advise(items, more * size);
	*room = more;
	return items;
}

/*
 * Copies nr_more items to the end of an array of *nr items, and adds them to *nr.
 * Returns: as array_grow().
 */
static inline void *array_append(void *items, size_t *nr, size_t *room, const void *more,
				 size_t nr_more, size_t size)
{
	char *grown = array_grow(items, room, *nr + nr_more, size);

	if (!grown)
		return NULL;
	if (nr_more)
		memcpy(grown + *nr * size, more, nr_more * size);
	*nr += nr_more;
	return grown;
}

/*
 * The same for a struct with the members items, nr and room. new points to nr_new items.
 * Evaluates to 0, or -ENOMEM.
 */
#define ARRAY_APPEND(array, new, nr_new) ({						\
	typeof(array) *to_ = &(array);							\
	const typeof(*to_->items) *from_ = (new);					\
	void *items_ = array_append(to_->items, &to_->nr, &to_->room, from_, (nr_new),	\
				    sizeof(*from_));					\
											\
	if (items_)									\
		to_->items = items_;							\
	items_ ? 0 : -ENOMEM;								\
})

#endif /* COLLECTOR_ARRAY_H */
