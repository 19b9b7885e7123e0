/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which sets of labels the reader of a ring was told the text of: each has a place,
 * which others take, too, so that some may be told again. Its user serializes calls.
 */
#ifndef PPROF_TOLD_H
#define PPROF_TOLD_H

#include <linux/hash.h>
#include <linux/types.h>

#define PPROF_TOLD_BITS	8

struct pprof_told {
	u64 sets[1 << PPROF_TOLD_BITS];
};

/* Ids of processes follow each other at a power of two: their low bits are alike. */
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
