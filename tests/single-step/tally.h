/* SPDX-License-Identifier: GPL-2.0 */
/* Counts how the stacks of a walk compare with the true ones. */
#ifndef SINGLE_STEP_TALLY_H
#define SINGLE_STEP_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprof_stack;

enum verdict {
	VERDICT_EXACT,		/* all frames, or as many as fit, and the right end reason */
	VERDICT_TRUNCATED,	/* the frames next to the leaf; the walk reports a truncation */
	VERDICT_MISGUESSED,	/* wrong, and flagged as a guess */
	VERDICT_WRONG,		/* wrong, and not flagged */
};

/*
 * From now on a stack that lacks up to nr_outermost of the outermost frames is exact, too. musl's
 * _start calls main through functions without unwind information, so a walk ends in the function
 * that calls main.
 */
void tally_allow_missing(size_t nr_outermost);

/*
 * Compares a stack with the true one, which has nr frames. frames[] holds only those of them that
 * fit into found->max.
 */
enum verdict tally_verdict(const uint64_t *frames, size_t nr, const struct pprof_stack *found);

/*
 * Counts a stack. If it is not exact, *culprit becomes the index in found->frames of the frame from
 * which the walk failed.
 * Returns: true if it is the first failure at that address for this reason. The caller then calls
 * tally_name().
 */
bool tally_add(const uint64_t *frames, size_t nr, const struct pprof_stack *found,
	       size_t *culprit);

/* Names the culprit of the last tally_add(). The name is copied. */
void tally_name(const char *name);

/* Return the number of stacks, and of those with this verdict. */
uint64_t tally_nr(void);
uint64_t tally_nr_of(enum verdict verdict);

/* Prints a line for all stacks, and one for each of the places where most of them failed. */
void tally_print(const char *title, size_t max_places);

#endif
