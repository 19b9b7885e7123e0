/* SPDX-License-Identifier: GPL-2.0 */
/* The label sets of a process. */
#ifndef PPROF_LABEL_SETS_H
#define PPROF_LABEL_SETS_H

#include <linux/list.h>
#include <linux/types.h>

#include "uapi/pprof.h"

#define PPROF_LABEL_SETS_BUCKET_BITS	6
#define PPROF_LABEL_SETS_CHUNK	64
#define PPROF_LABEL_SETS_CHUNKS	(PPROF_MAX_LABEL_SETS / PPROF_LABEL_SETS_CHUNK + 1)

struct pprof_quota;

/* Constant once a reader can find it. */
struct pprof_label_set {
	struct hlist_node node;	/* by text */
	u64 id;		/* no other set has it while the module is loaded */
	u32 bytes;	/* of text; NULs follow up to a multiple of 8 */
	u8 text[];	/* as in struct pprof_sample_labels */
};

/*
 * Sets are added one by one, and freed all at once. So a reader finds a set by its number without a
 * lock. The set exists if number - first - 1 is below nr.
 */
struct pprof_label_sets {
	struct pprof_quota *quota;	/* all allocations are charged to it; borrowed */
	/* Bytes that are charged; free_thread_labels() gives them back */
	size_t bytes;
	/* The id before that of the first set: a multiple of PPROF_MAX_LABEL_SETS + 1 */
	u64 first;
	u32 nr;
	struct hlist_head buckets[1 << PPROF_LABEL_SETS_BUCKET_BITS];
	struct pprof_label_set **chunks[PPROF_LABEL_SETS_CHUNKS];
};

/*
 * Do key and value follow the rules of pprof.h?
 * Context: any.
 */
bool pprof_label_is_valid(const struct pprof_label *label);

/*
 * Does PPROF_IOC_LABEL, and sets label->set. @label is valid.
 * Locks: the caller serializes calls.
 * Returns: 0, or an error.
 * - -ENOENT: no such set.
 * - -E2BIG: the set is too large.
 * - -ENOSPC: too many sets, or over the quota.
 * - -ENOMEM.
 * Sleeps.
 */
int pprof_label_sets_add(struct pprof_label_sets *labels, struct pprof_label *label);

/*
 * Returns the set with the number @number, or NULL. User space may have written any number.
 * Context: any, while @labels exists.
 */
const struct pprof_label_set *pprof_label_sets_find(const struct pprof_label_sets *labels,
						    u32 number);

/*
 * Frees all sets. Does not give back the quota. No reader may be left.
 * Sleeps.
 */
void pprof_label_sets_fini(struct pprof_label_sets *labels);

#endif
