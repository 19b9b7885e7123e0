/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of characters that RE2 has a name for, written as members of a PCRE2 class.
 *
 * PCRE2 has these names too, but gives some of them another meaning: its \s has the vertical tab,
 * and (?i)\w lacks U+017F and U+212A, which fold to s and k. So they are written as ranges.
 */
#ifndef COLLECTOR_RE2_CLASS_H
#define COLLECTOR_RE2_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A set of ASCII characters. */
struct re2_class;

/* Returns the set of \d, \s or \w for the letters d, s and w, or NULL. */
const struct re2_class *re2_class_perl(char letter);

/* Returns the set of the POSIX name, such as "alpha", or NULL. */
const struct re2_class *re2_class_posix(const char *name, size_t len);

/*
 * Writes the characters of the set, or with is_negated all others, to be put between [ and ].
 * is_folded: upper and lower case are the same here, as after (?i).
 */
void re2_class_put(FILE *out, const struct re2_class *class, bool is_negated, bool is_folded);

/*
 * Writes the class \p{NAME}, or \P{NAME} with is_negated. Names are Any, the one or two letters of
 * a general category, and scripts. PCRE2 checks whether there is such a script.
 * Returns: false if it is none of these.
 */
bool re2_class_put_property(FILE *out, const char *name, size_t len, bool is_negated,
			    bool is_folded);

#endif /* COLLECTOR_RE2_CLASS_H */
