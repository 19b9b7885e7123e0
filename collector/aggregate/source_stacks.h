/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counted stacks of one source, in two maps: raw stacks, which are added sample by sample,
 * and location stacks, to which a flush moves the raw ones. source_stacks.c says why there are
 * two.
 */
#ifndef COLLECTOR_SOURCE_STACKS_H
#define COLLECTOR_SOURCE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "aggregate/stack_locator.h"
#include "aggregate/stack_values.h"
#include "aggregate/truncation.h"
#include "base/tuple_map.h"
#include "pprof.h"

struct source_stacks {
	uint32_t source;	/* PPROF_SOURCE_* */
	size_t max_stacks;	/* limit of location stacks */
	/*
	 * Raw stacks since the last flush (see raw_stack.h): a tuple's numbers are addresses, leaf
	 * first. NULL after source_stacks_finish().
	 */
	struct tuple_map *raw;
	/* Location stacks: the numbers are location ids, leaf first; the tag is the label set. */
	struct tuple_map *located;
	struct stack_values raw_values;	/* by id in raw */
	struct stack_values values;	/* by id in located, and one slot at max_stacks */
	struct truncation truncation;	/* of location stacks, in units of weight */
	uint64_t over_max;	/* weight of samples whose stack is over max_stacks */
};

/*
 * Prepares s. nr_values is the number of values of a stack. After a failure, too, the caller
 * calls source_stacks_fini().
 * Returns: 0, or -ENOMEM.
 */
int source_stacks_init(struct source_stacks *s, uint32_t source, size_t max_stacks,
		       unsigned int nr_values);

/* Frees the memory of s. s may be all zeroes. */
void source_stacks_fini(struct source_stacks *s);

/*
 * Counts a sample. tag is that of its raw stack.
 * Returns: the id of its raw stack, which is valid until the next flush; -ENOSPC if the raw map is
 * full and must be flushed first; or -ENOMEM.
 */
int64_t source_stacks_add(struct source_stacks *s, uint64_t tag, const struct pprof_sample *sample);

/*
 * Moves all raw stacks to the location stacks. Sets ids[i] to the new id of the raw stack i; ids
 * has room for all of them. Stacks over max_stacks get the id max_stacks, where their values are
 * added up.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int source_stacks_flush(struct source_stacks *s, struct stack_locator *locator, int64_t *ids);

/* Sets the values of all location stacks to 0, and forgets the files of truncated ones. */
void source_stacks_reset_values(struct source_stacks *s);

/* Removes all location stacks, with their values. Call it when there is no raw stack. */
void source_stacks_reset(struct source_stacks *s);

/* Frees the raw stacks. Nothing may be added or flushed afterwards. */
void source_stacks_finish(struct source_stacks *s);

/*
 * Returns the sums of the values of all stacks over max_stacks, or NULL if there is no such stack
 * or stacks have no values.
 */
const double *source_stacks_over_values(const struct source_stacks *s);

#endif /* COLLECTOR_SOURCE_STACKS_H */
