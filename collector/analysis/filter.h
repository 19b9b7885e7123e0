/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All filters of a report, with the names, the order and the effects that they have in Go's pprof:
 *
 *	1. drop_frames and keep_frames of the profile		analysis/prune.h
 *	2. tagroot, tagleaf					analysis/tag_frames.h
 *	3. focus, ignore, hide, show, then show_from		analysis/name_filter.h
 *	4. tagfocus, tagignore, then tagshow, taghide		analysis/label_filter.h
 *	5. prune_from						analysis/prune.h
 *
 * Usage: compile the expressions once, then apply them to each profile. pprof's percentages refer
 * to the total before the filters: find it (report_total()) and the units of labels
 * (label_units_init()) before filter_apply().
 */
#ifndef COLLECTOR_FILTER_H
#define COLLECTOR_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof/profile_fault.h"

struct filter;
struct model;

/* In the order in which pprof lists them in the head of a report. */
enum filter_kind {
	FILTER_FOCUS,
	FILTER_IGNORE,
	FILTER_HIDE,
	FILTER_SHOW,
	FILTER_SHOW_FROM,
	FILTER_TAGFOCUS,
	FILTER_TAGIGNORE,
	FILTER_TAGSHOW,
	FILTER_TAGHIDE,
	/* pprof does not list these. */
	FILTER_PRUNE_FROM,
	FILTER_TAGROOT,
	FILTER_TAGLEAF,
	FILTER_NR_KINDS,
};

struct filter_settings {
	/*
	 * By kind: the expression, or for tagroot and tagleaf keys with commas between them. NULL
	 * or "" if the filter is not set.
	 */
	const char *expressions[FILTER_NR_KINDS];
	/* The unit of numbers in frames of tagroot and tagleaf. NULL: UNIT_MINIMUM. */
	const char *unit;
	/* Leaves drop_frames and keep_frames of the profile alone. */
	bool all_frames;
};

/* What pprof prints on standard error. */
struct filter_result {
	/* Bit by kind: the filter is set, but matched nothing. That is no error. */
	uint32_t unmatched;
	/*
	 * Why drop_frames or keep_frames of the profile is not valid. No frame is dropped then.
	 * That is no error either. The text is empty if both are valid.
	 */
	struct profile_fault frames_fault;
};

/* Returns the name of a filter in pprof, such as "show_from". */
const char *filter_name(enum filter_kind kind);

/*
 * Compiles the expressions. settings is not needed afterwards. filter_free() frees *filter.
 * Returns: 0; -EBADMSG with *fault, which names the filter, if an expression is wrong; or -ENOMEM
 * with *fault. *filter is NULL then.
 */
int filter_new(struct filter **filter, const struct filter_settings *settings,
	       struct profile_fault *fault);

/* Frees the filter. f may be NULL. */
void filter_free(struct filter *f);

/*
 * Returns the bits (by kind) of tagfocus and tagignore, if they were read as ranges. pprof prints
 * this, because the same text may be meant as a regular expression.
 */
uint32_t filter_ranges(const struct filter *f);

/*
 * Applies the filters to a model. Samples that become equal stay apart; entries that no sample uses
 * any more stay in their tables. merge_one() changes both.
 * As in pprof, a match at a location that no sample uses is a match.
 *
 * Returns: 0 with *result; or a negative errno with *fault. -ETIME: a search took too long. After
 * an error the model can only be freed.
 */
int filter_apply(struct filter *f, struct model *m, struct filter_result *result,
		 struct profile_fault *fault);

#endif /* COLLECTOR_FILTER_H */
