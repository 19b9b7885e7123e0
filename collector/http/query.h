/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of a URL. The rules are those of Go's net/url and strconv, so that a URL means the
 * same to this server and to a Go program: a pair that cannot be decoded is left out, and the first
 * value of a name counts.
 */
#ifndef COLLECTOR_HTTP_QUERY_H
#define COLLECTOR_HTTP_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest URL, in bytes. A longer one is refused with 414. */
#define QUERY_MAX_URL	8192

/*
 * Decodes "%41" to "A" in len bytes of text, and with is_query also "+" to a blank. out has room
 * for len + 1 bytes, and gets a NUL.
 * Returns: the decoded length, or -EINVAL for a "%" without two hex digits.
 */
int query_decode(const char *text, size_t len, bool is_query, char *out);

/*
 * Copies the first value of a parameter to out, which has room for QUERY_MAX_URL + 1 bytes. query
 * is the undecoded part of a URL after "?", of QUERY_MAX_URL bytes at most. Without the parameter,
 * out becomes "".
 * Returns: is the parameter there?
 */
bool query_find(const char *query, const char *name, char *out);

/*
 * Reads a decimal number, with or without a sign, as strconv.ParseInt() does.
 * Returns: 0; -ERANGE, and *number is the nearest number; or -EINVAL, and *number is 0.
 */
int query_integer(const char *text, int64_t *number);

#endif /* COLLECTOR_HTTP_QUERY_H */
