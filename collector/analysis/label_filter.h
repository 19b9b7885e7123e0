/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters by labels, by the rules of pprof's FilterSamplesByTag() and FilterTagsByName(). Each
 * distinct label set is looked at once.
 */
#ifndef COLLECTOR_LABEL_FILTER_H
#define COLLECTOR_LABEL_FILTER_H

#include <stdbool.h>

struct label_units;
struct matcher;
struct model;
struct tag_filter;

/* tagfocus or tagignore; or tagshow or taghide. */
struct label_filter_found {
	bool keep;
	bool drop;
};

/*
 * Keeps the samples that match keep, and drops those that match drop. Both may be NULL.
 * Returns: 0; -ENOMEM or -ETIME, as tag_filter_match(). *failed is the filter that failed. *found
 * tells which filters matched any sample.
 */
int label_filter_samples(struct model *m, struct tag_filter *keep, struct tag_filter *drop,
			 const struct label_units *units, struct label_filter_found *found,
			 const struct tag_filter **failed);

/*
 * Removes labels from all samples: those whose key does not match keep, and those whose key matches
 * drop. Both may be NULL.
 * Returns: 0, -ENOMEM, or -EOVERFLOW. Errors of searches are in the matchers.
 */
int label_filter_keys(struct model *m, struct matcher *keep, struct matcher *drop,
		      struct label_filter_found *found);

#endif /* COLLECTOR_LABEL_FILTER_H */
