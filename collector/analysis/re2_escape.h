/* SPDX-License-Identifier: GPL-2.0 */
/* Escapes of RE2 that stand for one character: \n, \., \101, \x41, \x{10FFFF}. */
#ifndef COLLECTOR_RE2_ESCAPE_H
#define COLLECTOR_RE2_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Is it an ASCII letter or digit? */
static inline bool re2_escape_is_alnum(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/*
 * Reads an escape. *at is after the backslash, and is moved past the escape. end is the end of
 * the expression.
 * Returns: whether it is one; if not, *at and *rune are undefined.
 */
bool re2_escape_take(const char **at, const char *end, uint32_t *rune);

#endif /* COLLECTOR_RE2_ESCAPE_H */
