/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regular expressions as pprof has them: the dialect of RE2 (analysis/re2_syntax.h), run by PCRE2.
 *
 * Text is UTF-8. Each byte of a text that is not UTF-8 counts as U+FFFD, as in Go. An expression
 * is found anywhere in a text, unless it has ^ or $.
 *
 * PCRE2 backtracks, so a few expressions, such as (a*)*b, take exponential time. Each search is
 * limited.
 */
#ifndef COLLECTOR_REGEX_H
#define COLLECTOR_REGEX_H

#include <stddef.h>

struct profile_fault;
struct regex;

/* The longest expression, in bytes. */
#define REGEX_MAX_BYTES		32768

/*
 * The limit of a search in steps of PCRE2, about 10 ms. An expression that finds a name of 1,000
 * characters needs some thousand steps.
 */
#define REGEX_MATCH_LIMIT	1000000

/*
 * Compiles an expression of len bytes. regex_free() frees *regex.
 * Returns: 0; -EBADMSG with *fault if RE2 would refuse it, or it is too large; or -ENOMEM with
 * *fault. *regex is NULL then.
 */
int regex_new(struct regex **regex, const char *s, size_t len, struct profile_fault *fault);

/* Frees the expression. r may be NULL. */
void regex_free(struct regex *r);

/*
 * Searches the len bytes of a text. A struct regex serves one thread at a time.
 * Returns: 1 if the expression is found, 0 if not; -ETIME if the search reached its limit; or
 * -ENOMEM.
 */
int regex_find(struct regex *r, const char *s, size_t len);

#endif /* COLLECTOR_REGEX_H */
