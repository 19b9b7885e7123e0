/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regular expressions for functions' names. Readers of a profile compile them,
 * each with a library of its own (pprof: RE2), and refuse the whole profile for
 * one that is wrong. So only that is taken which all of them read alike:
 *
 *	x  .  \.  [abc]  [^a-z]  (x)  x|y  x*  x+  x?  ^  $
 */
#ifndef COLLECTOR_PATTERN_H
#define COLLECTOR_PATTERN_H

/* NULL if s is such an expression, or a static clause that says what is wrong. */
const char *pattern_check(const char *s);

#endif /* COLLECTOR_PATTERN_H */
