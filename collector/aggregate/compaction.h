/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removes the locations and label sets that no counted stack refers to. A run of many windows would
 * collect those of all processes that have ever run.
 */
#ifndef COLLECTOR_COMPACTION_H
#define COLLECTOR_COMPACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct label_sets;
struct locations;
struct processes;
struct source_stacks;

/* The numbers at which the next compaction is worth its time. All zeroes: the lowest. */
struct compaction {
	size_t nr_locations;
	size_t nr_labels;
};

struct compaction_parts {
	struct locations *locations;
	int64_t *main_mapping;		/* as for locations_keep() */
	struct label_sets *labels;
	struct processes *processes;	/* label sets of programs that have ended are removed */
	struct source_stacks *const *sources;
	size_t nr;			/* of sources */
};

/*
 * Does nothing while the tables are small, or have grown little since the last compaction, unless
 * is_due is true. Otherwise it renumbers them, and the stacks of the sources, which have no raw
 * stacks. The ids of stacks do not change.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int compaction_run(struct compaction *c, const struct compaction_parts *parts, bool is_due);

#endif /* COLLECTOR_COMPACTION_H */
