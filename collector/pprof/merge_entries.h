/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a sum of profiles: finds or adds the entries that a sample of a source uses. The
 * keys of entries are those of pprof/merge.h. Each entry of a source is looked up once.
 */
#ifndef COLLECTOR_MERGE_ENTRIES_H
#define COLLECTOR_MERGE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span_set.h"
#include "pprof/model.h"

/* By the index of an entry in the source: its index in the sum, or UINT32_MAX if not known yet. */
struct index_map {
	uint32_t *items;
	size_t room;
};

struct merge_entries {
	struct model *sum;
	/* Keys of the entries of the sum: a span's id is the index + 1. Spans of uint64_t. */
	struct span_set mapping_keys;
	struct span_set function_keys;
	struct span_set location_keys;

	/* The source that is being added. */
	const struct model *source;
	bool is_diff_base;
	struct index_map strings;	/* all of them are known */
	struct index_map mappings;
	struct index_map functions;
	struct index_map locations;
	struct index_map stacks;
	struct index_map label_sets;
	/* Stacks that wait to be added to the sum. batch_stacks has their indices in the source. */
	struct span_batch batch;
	uint32_t batch_stacks[SPAN_BATCH_MAX];

	/* Room for the lines of a location, the key of a location, and a label set. */
	MODEL_ARRAY(struct model_line, lines);
	MODEL_ARRAY(uint64_t, key);
	MODEL_ARRAY(struct model_label, labels);
};

/* Makes an empty sum. merge_entries_fini() frees it, also after -ENOMEM. Returns: 0, or -ENOMEM. */
int merge_entries_init(struct merge_entries *e);

/* Frees the sum and the tables. */
void merge_entries_fini(struct merge_entries *e);

/*
 * Begins with a source, and adds its strings. It is used until the next call. Label sets get the
 * label pprof::base = true if is_diff_base is true.
 * Returns: 0, or -ENOMEM.
 */
int merge_entries_start(struct merge_entries *e, const struct model *source, bool is_diff_base);

/*
 * These take the index of an entry of the source, and find or add the same entry in the sum.
 * Returns: its index in the sum, or a negative errno.
 */
int64_t merge_entries_mapping(struct merge_entries *e, uint32_t mapping);
int64_t merge_entries_label_set(struct merge_entries *e, uint32_t label_set);

/* The index in the sum of a string of the source. */
static inline uint32_t merge_entries_string(const struct merge_entries *e, uint32_t string)
{
	return e->strings.items[string];
}

/*
 * Finds or adds a stack of the source. Its index in the sum is known after
 * merge_entries_finish_stacks(), as stacks are added in batches.
 * Returns: 0, or a negative errno.
 */
int merge_entries_add_stack(struct merge_entries *e, uint32_t stack);
int merge_entries_finish_stacks(struct merge_entries *e);

/* The index in the sum of a stack that was added. */
static inline uint32_t merge_entries_stack(const struct merge_entries *e, uint32_t stack)
{
	return e->stacks.items[stack];
}

#endif /* COLLECTOR_MERGE_ENTRIES_H */
