/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The granularity of a report: which frames it shows as one. Parts of frames that the report does
 * not distinguish are cleared in the model before.
 */
#ifndef COLLECTOR_ANALYSIS_GRANULARITY_H
#define COLLECTOR_ANALYSIS_GRANULARITY_H

#include <stdbool.h>

struct model;

enum granularity {
	GRANULARITY_FUNCTIONS,
	GRANULARITY_FILEFUNCTIONS,	/* functions of the same name in two files are two */
	GRANULARITY_FILES,
	GRANULARITY_LINES,
	GRANULARITY_ADDRESSES,
};

struct granularity_settings {
	enum granularity level;
	bool omits_inlined;	/* only the outermost function of each location stays */
	bool has_columns;	/* lines keep their columns; those of addresses always do */
};

/*
 * Clears names, files, lines, columns and addresses that are finer than the granularity, and the
 * has_* flags of mappings. Locations and samples stay apart: reports and merge_one() join them.
 */
void granularity_apply(struct model *m, const struct granularity_settings *s);

#endif /* COLLECTOR_ANALYSIS_GRANULARITY_H */
