/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of address ranges that may overlap. It finds all ranges that cover an address. The order
 * of calls: interval_set_add() for each range, interval_set_sort(), interval_set_index(),
 * interval_set_find().
 */
#ifndef COLLECTOR_INTERVAL_SET_H
#define COLLECTOR_INTERVAL_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/code_span.h"

struct interval {
	uint64_t start;
	uint64_t reach;		/* highest end of all ranges up to this one */
	uint32_t nr_bytes;
	uint32_t id;		/* chosen by the caller */
};

/* A set of all zeroes is empty. */
struct interval_set {
	struct interval *v;
	size_t nr;
	size_t cap;
};

/* Frees the ranges. The set is empty afterwards. */
void interval_set_fini(struct interval_set *s);

/*
 * Adds the range [start, end). A range over 4 GiB - 1 is shortened to that. An empty range is
 * ignored.
 * Returns: 0, or -ENOMEM.
 */
int interval_set_add(struct interval_set *s, uint64_t start, uint64_t end, uint32_t id);

/* Sorts by start. Of ranges with the same start, the longer comes first, then the higher id. */
void interval_set_sort(struct interval_set *s);

/*
 * Prepares sorted ranges for interval_set_find(). The caller may change nr_bytes of a range after
 * interval_set_sort(), and before this call.
 */
void interval_set_index(struct interval_set *s);

/*
 * Walks over the ranges that cover addr. The innermost, which is the last in the sort order,
 * comes first. prev is NULL for the first call, then the range of the call before.
 * Returns: a range that the set owns, or NULL at the end.
 */
const struct interval *interval_set_find(const struct interval_set *s, uint64_t addr,
					 const struct interval *prev);

/*
 * Narrows span to addresses that are covered by the same ranges as addr. With many ranges around
 * addr it becomes one byte.
 */
void interval_set_narrow(const struct interval_set *s, uint64_t addr, struct code_span *span);

#endif /* COLLECTOR_INTERVAL_SET_H */
