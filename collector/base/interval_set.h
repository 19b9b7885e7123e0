/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of address ranges that may overlap. It finds all ranges that cover an address. The order
 * of calls: spans_add() for each range, spans_sort(), spans_index(), spans_find().
 */
#ifndef COLLECTOR_SPANS_H
#define COLLECTOR_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t start;
	uint64_t reach;		/* highest end of all spans up to this one */
	uint32_t nr_bytes;
	uint32_t id;		/* chosen by the user of the set */
};

/* A set of all zeroes is empty. */
struct spans {
	struct span *v;
	size_t nr;
	size_t cap;
};

/* Frees the ranges. The set is empty afterwards. */
void spans_fini(struct spans *s);

/*
 * Adds the range [start, end). A range over 4 GiB - 1 is shortened to that. An empty range is
 * ignored.
 * Returns: 0, or -ENOMEM.
 */
int spans_add(struct spans *s, uint64_t start, uint64_t end, uint32_t id);

/* Sorts by start. Of ranges with the same start, the longer comes first, then the higher id. */
void spans_sort(struct spans *s);

/*
 * Prepares sorted ranges for spans_find(). The user may change nr_bytes between sort and index.
 */
void spans_index(struct spans *s);

/*
 * Walks over the ranges that cover addr. The innermost, which is the last in the sort order,
 * comes first. prev is NULL for the first call, then the range of the call before.
 * Returns: a range that the set owns, or NULL at the end.
 */
const struct span *spans_find(const struct spans *s, uint64_t addr, const struct span *prev);

#endif /* COLLECTOR_SPANS_H */
