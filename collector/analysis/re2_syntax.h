/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates regular expressions from the dialect of RE2, which Go and so pprof have, to PCRE2.
 * The rules are those of https://github.com/google/re2/wiki/Syntax, as Go's regexp/syntax reads
 * them. Capturing groups become plain ones: filters only ask whether there is a match.
 *
 * Differences from Go: (?i)\p{Lu} and its kin match all letters that have a case. Groups nest 250
 * deep, not 1000. A second quantifier is refused also after (?i) or \Q\E, where Go takes it.
 */
#ifndef COLLECTOR_RE2_SYNTAX_H
#define COLLECTOR_RE2_SYNTAX_H

#include <stddef.h>

struct profile_fault;

/*
 * The largest nesting of groups, and the largest count in {n,m}. Counts inside each other multiply
 * up to the same limit.
 */
#define RE2_SYNTAX_MAX_DEPTH	250
#define RE2_SYNTAX_MAX_COUNT	1000

/*
 * Translates the len bytes of an expression. *pcre becomes a string for pcre2_compile() with
 * PCRE2_UTF, which the caller frees with free(). Its flags must be: newline is \n,
 * PCRE2_DOLLAR_ENDONLY, PCRE2_ALT_CIRCUMFLEX, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES.
 *
 * Returns: 0; -EBADMSG with *fault if RE2 would refuse the expression; or -ENOMEM with *fault.
 */
int re2_syntax_translate(const char *s, size_t len, char **pcre, struct profile_fault *fault);

#endif /* COLLECTOR_RE2_SYNTAX_H */
