/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds profiles up, one after the other: only the sum is in memory. The rules are those of Go's
 * pprof:
 *
 * - Samples are one if their locations and all labels with units are equal. Values are added.
 * - Locations are one if their mapping, offset in it, folded flag and all lines are equal;
 *   functions, if all members are; mappings, if their size rounded up to 4 KiB, offset, and build
 *   id are (or the file name, without build id). So address space layouts may differ.
 * - Entries come in the order of first use by a sample. Unused ones, and samples whose values are
 *   or become all 0, are left out. The first mapping of the first profile that has any stays the
 *   first one.
 * - Sample types are those that all profiles have. Values get the finest unit (merge_types.h).
 * - The time is the earliest one, the duration the sum, the period the largest one. Comments are
 *   kept once each. The rest of the header is that of the first profile that has it.
 *
 * Rules of our own: a flag of a mapping is set only if all merged mappings have it, and all columns
 * of lines are compared.
 */
#ifndef COLLECTOR_MERGE_H
#define COLLECTOR_MERGE_H

#include <stdbool.h>

struct merge;
struct model;
struct profile_fault;

/* The key of the label of samples that were subtracted with MERGE_DIFF_BASE. */
#define MERGE_BASE_LABEL	"pprof::base"

enum merge_sign {
	MERGE_ADD,
	/* Subtracts the values. */
	MERGE_BASE,
	/* Subtracts, and adds the label pprof::base = true. So equal stacks stay two samples. */
	MERGE_DIFF_BASE,
};

/* Makes an empty merge. Returns: the merge, or NULL with errno ENOMEM. */
struct merge *merge_new(void);

/* Frees the merge. g may be NULL. */
void merge_free(struct merge *g);

/*
 * Adds a profile. source is not needed afterwards.
 * Returns: 0; -EBADMSG if the types do not fit or a sum does not fit in 63 bits; or -ENOMEM. Then
 * *fault is set, and the merge can only be freed.
 */
int merge_add(struct merge *g, const struct model *source, enum merge_sign sign,
	      struct profile_fault *fault);

/*
 * Returns the sum of the added profiles in *out. At least one must have been added. The caller
 * frees *out with model_free(). Nothing can be added afterwards.
 * Returns: 0, or a negative errno, and then *fault is set.
 */
int merge_finish(struct merge *g, struct model **out, struct profile_fault *fault);

/* Compacts one profile: merge_add() and merge_finish() in one. */
int merge_one(const struct model *source, struct model **out, struct profile_fault *fault);

#endif /* COLLECTOR_MERGE_H */
