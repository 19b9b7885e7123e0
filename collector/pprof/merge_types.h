/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the sample types of two profiles the same. Kept are the types that both have by name, in
 * the order of the first profile. A value gets the finer of the two units.
 */
#ifndef COLLECTOR_MERGE_TYPES_H
#define COLLECTOR_MERGE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct profile_fault;

/* How the values of a source become values of the merged profile: one item for each type there. */
struct merge_column {
	size_t column;			/* index of the sample type in the source */
	double ratio;
};

struct merge_columns {
	struct merge_column *items;
	size_t room;
	/* The source has the merged profile's types, in the same order and units. */
	bool is_identity;
	/* The period of the source, in the unit of the merged profile. */
	int64_t period;
	/* A sample type of the merged profile was dropped. */
	bool has_dropped;
};

/*
 * Makes the types of merged fit those of source: drops types of merged that source lacks, and
 * scales merged if source has finer units. Sets c, whose items the caller frees; at first they
 * are all zeroes.
 * Returns: 0; -EBADMSG with *fault if no type is common, or units do not measure the same; or
 * -ENOMEM.
 */
int merge_types_align(struct model *merged, const struct model *source, struct merge_columns *c,
		      struct profile_fault *fault);

/* Returns: 0, or -EBADMSG with *fault if the types or units of two profiles differ. */
int merge_types_check_equal(const struct model *a, const struct model *b,
			    struct profile_fault *fault);

#endif /* COLLECTOR_MERGE_TYPES_H */
