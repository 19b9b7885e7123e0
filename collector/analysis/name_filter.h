/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters by names: of functions, of their files, and of the files of mappings. A location matches
 * if the expression is found in one of these. The rules are those of pprof's
 * FilterSamplesByName() and ShowFrom().
 *
 * Locations are changed for all samples. All locations of the table are looked at, also those that
 * no sample uses.
 */
#ifndef COLLECTOR_NAME_FILTER_H
#define COLLECTOR_NAME_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct matcher;
struct model;

/* NULL for a filter that is not set. */
struct name_filters {
	/* Keeps samples with a location that matches. */
	struct matcher *focus;
	/* Drops samples with a location that matches. Such a location does not count for focus. */
	struct matcher *ignore;
	/* Removes lines that match; all lines, if the mapping matches. */
	struct matcher *hide;
	/* Removes lines that do not match; none, if the mapping matches. */
	struct matcher *show;
};

/* Which of the filters found anything. show found something if any location still has a line. */
struct name_filters_found {
	bool focus;
	bool ignore;
	bool hide;
	bool show;
};

/*
 * Applies the filters. A location whose lines hide or show removed leaves the stacks. Samples
 * without locations are dropped. If no filter is set, nothing changes.
 * Returns: 0, -ENOMEM, or -EOVERFLOW. Errors of searches are in the matchers.
 */
int name_filter_apply(struct model *m, const struct name_filters *filters,
		      struct name_filters_found *found);

/*
 * Cuts each stack above the matching location that is nearest to the root, and in that location
 * the lines outward of its outermost match. Drops samples without a match.
 * Returns: 0, -ENOMEM, or -EOVERFLOW; *found is set. Errors of searches are in the matcher.
 */
int name_filter_show_from(struct model *m, struct matcher *show_from, bool *found);

#endif /* COLLECTOR_NAME_FILTER_H */
