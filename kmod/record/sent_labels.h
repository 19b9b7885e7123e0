/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The label sets whose text is already in a ring. Each set has one slot, which other sets share.
 * So the text of a set may be sent again. The caller serializes calls. See "Slot tables" in
 * doc/design.md.
 */
#ifndef PPROF_SENT_LABELS_H
#define PPROF_SENT_LABELS_H

#include <linux/hash.h>
#include <linux/types.h>

#define PPROF_SENT_LABELS_BITS	8

/* 2 KiB, whole cache lines: so neighbours in an array share none. */
struct pprof_sent_labels {
	u64 sets[1 << PPROF_SENT_LABELS_BITS];
};

/*
 * Returns the slot of a set. Ids of processes differ by a power of two, so their low bits are
 * alike: hash them.
 */
static inline u64 *pprof_sent_labels_slot(struct pprof_sent_labels *sent_labels, u64 set)
{
	return &sent_labels->sets[hash_64(set, PPROF_SENT_LABELS_BITS)];
}

/* Was the text of the set sent, and does its slot still have it? @set is not 0. */
static inline bool pprof_sent_labels_has(struct pprof_sent_labels *sent_labels, u64 set)
{
	return *pprof_sent_labels_slot(sent_labels, set) == set;
}

/* Notes that the text of the set was sent. Another set in its slot is forgotten. */
static inline void pprof_sent_labels_add(struct pprof_sent_labels *sent_labels, u64 set)
{
	*pprof_sent_labels_slot(sent_labels, set) = set;
}

#endif
