/* SPDX-License-Identifier: GPL-2.0 */
/* Counts how the stacks of a walk compare with the true ones. */
#ifndef SHADOW_TALLY_H
#define SHADOW_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprof_stack;

enum verdict {
	VERDICT_EXACT,		/* all frames, or as many as fit, and the walk says so */
	VERDICT_TRUNCATED,	/* the leaf's part of them, and the walk says so */
	VERDICT_MISGUESSED,	/* wrong, and flagged as a guess */
	VERDICT_WRONG,
};

/*
 * A stack that lacks up to so many of the outermost frames is exact, too. musl's _start calls main
 * through functions without unwind information, so the walk ends in the function that calls main.
 */
void tally_allow_missing(size_t nr_outermost);

/* The true stack has nr frames; those that fit into found->max are at frames. */
enum verdict tally_verdict(const uint64_t *frames, size_t nr, const struct pprof_stack *found);

/*
 * Counts a stack. In which frame it went wrong or was cut is *culprit: an index
 * of found->frames. True if nothing was wrong or cut there before, for the same
 * reason: then tally_name() is due.
 */
bool tally_add(const uint64_t *frames, size_t nr, const struct pprof_stack *found,
	       size_t *culprit);

/* What to call the culprit of the last tally_add(). Copied. */
void tally_name(const char *name);

/* The number of stacks, and of those with this verdict. */
uint64_t tally_nr(void);
uint64_t tally_nr_of(enum verdict verdict);

/* A line for all, and one for each of the places that failed most. */
void tally_print(const char *title, size_t max_places);

#endif
