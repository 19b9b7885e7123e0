/* SPDX-License-Identifier: GPL-2.0 */
/* Address ranges that may overlap, and which of them cover an address. */
#ifndef COLLECTOR_SPANS_H
#define COLLECTOR_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t start;
	uint64_t reach;		/* highest end of all spans up to this one */
	uint32_t nr_bytes;
	uint32_t id;		/* the user's */
};

/* All zero is empty. */
struct spans {
	struct span *v;
	size_t nr;
	size_t cap;
};

void spans_fini(struct spans *s);

/* Adds [start, end), cut to 4 GiB; an empty range is left out. 0 or -ENOMEM. */
int spans_add(struct spans *s, uint64_t start, uint64_t end, uint32_t id);

/* Sorts by start; of the same start the longer first, then the higher id. */
void spans_sort(struct spans *s);

/* Makes sorted spans ready for spans_find(). nr_bytes may be changed before. */
void spans_index(struct spans *s);

/*
 * The spans that cover addr, the innermost (last in order) first: NULL as prev
 * gives the first of them, each the next, and NULL is the end.
 */
const struct span *spans_find(const struct spans *s, uint64_t addr, const struct span *prev);

#endif /* COLLECTOR_SPANS_H */
