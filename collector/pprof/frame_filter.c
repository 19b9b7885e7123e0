// SPDX-License-Identifier: GPL-2.0
#include "pprof/frame_filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define MAX_DEPTH	50	/* of groups: compilers of expressions recurse */

static bool is_punctuation(char c)
{
	return c && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c);
}

/* Only punctuation may follow a backslash: libraries differ about letters and digits. */
static size_t escape_len(const char *s)
{
	return is_punctuation(s[1]) ? 2 : 0;
}

/* Returns the length of one character of a class, or 0 if it is not accepted. */
static size_t class_char(const char *s, uint32_t *rune)
{
	if (*s == '\\') {
		*rune = s[1];
		return escape_len(s);
	}
	if (*s == '[')
		return 0;	/* may begin [:alpha:] */
	return utf8_next(s, strlen(s), rune);
}

/*
 * Returns the length of the class whose "[" is at s, or 0 if it is not accepted. A "]" that comes
 * first is a character of the class.
 */
static size_t class_len(const char *s)
{
	size_t at = s[1] == '^' ? 2 : 1, len;
	uint32_t from, to;

	do {
		len = class_char(s + at, &from);
		if (!len)
			return 0;
		at += len;
		if (s[at] != '-' || s[at + 1] == ']')
			continue;
		len = class_char(s + at + 1, &to);
		if (!len || to < from)
			return 0;
		at += 1 + len;
	} while (s[at] != ']');
	return at + 1;
}

/* Returns the length of an expression that "*" may follow, or 0 if it is not accepted. */
static size_t atom_len(const char *s)
{
	uint32_t rune;

	switch (*s) {
	case '\\':
		return escape_len(s);
	case '[':
		return class_len(s);
	case '{':
		return 0;
	}
	return utf8_next(s, strlen(s), &rune);
}

/* Returns why atom_len() returned 0. */
static const char *why_no_atom(const char *s)
{
	switch (*s) {
	case '\\':
		return "must have a backslash before punctuation only";
	case '[':
		return "must have a ] to each [, upward ranges as a-z, and \\[ in place of [ in it";
	case '{':
		return "must have \\{ in place of { (to repeat, write it often, or use * or +)";
	}
	return "must be UTF-8";
}

/* Checks that groups match, and that each "*", "+" or "?" follows something else. */
const char *frame_filter_check(const char *s)
{
	bool repeatable = false;
	int depth = 0;
	size_t len;

	for (; *s; s += len) {
		len = 1;
		if (*s == '(' && (s[1] == '?' || ++depth > MAX_DEPTH))
			return "must have groups in plain ( ), 50 deep at most";
		if (*s == ')' && !depth--)
			return "must have a ( to each )";
		if (strchr("*+?", *s) && !repeatable)
			return "must have something before each * + ?, and one of these only";
		if (!strchr("()|*+?", *s))
			len = atom_len(s);
		if (!len)
			return why_no_atom(s);
		repeatable = !strchr("(|*+?", *s);
	}
	return depth ? "must have a ) to each (" : NULL;
}
