/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One expression of tagfocus or tagignore: which label sets match it. By the rules of pprof:
 *
 *	[KEY=]RANGE		some number of this key, or of any key, is in the range
 *	[KEY=]REGEX,REGEX...	texts
 *
 * A range is N, N:, :N or N:M, where N is an integer with or without a unit, such as 64kb. Both
 * ends are in the range. If M has no unit, it has that of N. If the two units measure different
 * quantities, the text is a regular expression.
 *
 * Regular expressions: with KEY, some expression must be found in some text of this key. Without,
 * each expression must be found in some "key:text".
 */
#ifndef COLLECTOR_TAG_FILTER_H
#define COLLECTOR_TAG_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct label_units;
struct model;
struct profile_fault;
struct tag_filter;

/*
 * Compiles an expression. tag_filter_free() frees *filter.
 * Returns: 0; -EBADMSG with *fault for a wrong regular expression, or a range with a number beyond
 * 64 bits; or -ENOMEM with *fault. *filter is NULL then.
 */
int tag_filter_new(struct tag_filter **filter, const char *s, struct profile_fault *fault);

/* Frees the filter. f may be NULL. */
void tag_filter_free(struct tag_filter *f);

/* Was the expression read as a range? */
bool tag_filter_is_range(const struct tag_filter *f);

/*
 * Does a label set match? Numbers have the units of their keys, and not their own ones.
 * Returns: 1 or 0; or -ENOMEM or -ETIME, as regex_find().
 */
int tag_filter_match(struct tag_filter *f, const struct model *m, const struct label_units *units,
		     uint32_t label_set);

#endif /* COLLECTOR_TAG_FILTER_H */
