/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks regular expressions for function names. Each reader of a profile compiles them with its
 * own library (pprof: RE2). A reader refuses the whole profile if an expression is wrong. So
 * only the syntax that means the same in all of these libraries is accepted:
 *
 *	x  .  \.  [abc]  [^a-z]  (x)  x|y  x*  x+  x?  ^  $
 */
#ifndef COLLECTOR_FRAME_FILTER_H
#define COLLECTOR_FRAME_FILTER_H

/*
 * Returns NULL if s is such an expression; else a static clause that says what is wrong, such as
 * "must have ...".
 */
const char *frame_filter_check(const char *s);

#endif /* COLLECTOR_FRAME_FILTER_H */
