/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The label sets whose text is already in a ring. Each set has one place, which other sets share.
 * So the text of a set may be sent again. The caller serializes calls.
 */
#ifndef PPROF_TOLD_H
#define PPROF_TOLD_H

#include <linux/hash.h>
#include <linux/types.h>

#define PPROF_TOLD_BITS	8

struct pprof_told {
	u64 sets[1 << PPROF_TOLD_BITS];
};

/*
 * Returns the place of a set. Ids of processes differ by a power of two, so their low bits are
 * alike: hash them.
 */
static inline u64 *pprof_told_place(struct pprof_told *told, u64 set)
{
	return &told->sets[hash_64(set, PPROF_TOLD_BITS)];
}

static inline bool pprof_told_has(struct pprof_told *told, u64 set)
{
	return *pprof_told_place(told, set) == set;
}

static inline void pprof_told_note(struct pprof_told *told, u64 set)
{
	*pprof_told_place(told, set) = set;
}

#endif
