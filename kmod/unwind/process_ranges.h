/* SPDX-License-Identifier: GPL-2.0 */
/* The executable memory of a process, and which table unwinds what of it. */
#ifndef PPROF_SPACE_H
#define PPROF_SPACE_H

#include <linux/types.h>

#include "uapi/pprof.h"
#include "unwind/table.h"

struct pprof_space_range {
	u64 start;
	u64 end;
	u64 bias;			/* address - offset in the file */
	const struct pprof_table *table;	/* NULL: none; outlives the space */
};

/* Constant once it is filled. */
struct pprof_space {
	u64 epoch;	/* its name among all that share a rule cache; not 0 */
	u64 exec_pages;	/* executable memory that the process had */
	u32 nr_ranges;
	u32 half;	/* the largest power of two up to nr_ranges */
	struct pprof_space_range ranges[];	/* by rising address, not overlapping */
};

/*
 * Adds @range, which the caller copied, with @table for it, behind those that
 * are there; there is room. -EINVAL if it is no memory of a user, does not
 * follow them, or has padding.
 */
int pprof_space_add(struct pprof_space *space, const struct pprof_range *range,
		    const struct pprof_table *table);

/* Any context, as what follows. */
static inline bool pprof_space_range_has(const struct pprof_space_range *range, u64 address)
{
	return address - range->start < range->end - range->start;
}

/* The range with @address, or NULL. */
const struct pprof_space_range *pprof_space_find(const struct pprof_space *space, u64 address);

#endif
