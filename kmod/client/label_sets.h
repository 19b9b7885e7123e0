/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of labels that a process has made. */
#ifndef PPROF_LABELS_H
#define PPROF_LABELS_H

#include <linux/list.h>
#include <linux/types.h>

#include "uapi/pprof.h"

#define PPROF_LABELS_BUCKET_BITS	6
#define PPROF_LABELS_CHUNK	64
#define PPROF_LABELS_CHUNKS	(PPROF_MAX_LABEL_SETS / PPROF_LABELS_CHUNK + 1)

struct pprof_quota;

/* Constant once it can be found. */
struct pprof_label_set {
	struct hlist_node node;	/* by text */
	u64 id;
	u32 bytes;	/* of text; behind it are NULs up to a multiple of 8 */
	u8 text[];	/* as in struct pprof_sample_labels */
};

/*
 * Sets come, and go all at once. So a set is found without a lock: where its number
 * says, once so many are there.
 */
struct pprof_labels {
	struct pprof_quota *quota;	/* what is allocated is taken from it; borrowed */
	size_t bytes;	/* so much; whoever frees the sets gives it back */
	u64 first;	/* the id before the first set's: a multiple of PPROF_MAX_LABEL_SETS + 1 */
	u32 nr;
	struct hlist_head buckets[1 << PPROF_LABELS_BUCKET_BITS];
	struct pprof_label_set **chunks[PPROF_LABELS_CHUNKS];
};

/* Are they a key and a value as pprof.h says? */
bool pprof_label_is_valid(const struct pprof_label *label);

/*
 * See PPROF_IOC_LABEL; fills in the set. @label is valid. May sleep; the caller
 * serializes calls. -ENOENT, -E2BIG; -ENOSPC, also of the quota; -ENOMEM.
 */
int pprof_labels_add(struct pprof_labels *labels, struct pprof_label *label);

/* Of a number from wherever; NULL: there is none. Any context, as long as @labels is there. */
const struct pprof_label_set *pprof_labels_find(const struct pprof_labels *labels, u32 number);

/* Frees all sets, and leaves the quota alone; nobody looks any more. May sleep. */
void pprof_labels_fini(struct pprof_labels *labels);

#endif
