// SPDX-License-Identifier: GPL-2.0
#include "http/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Returns: the byte of "%41" at text, or -1. */
static int escaped_byte(const char *text, size_t len)
{
	int high = len > 2 ? hex_digit(text[1]) : -1;
	int low = len > 2 ? hex_digit(text[2]) : -1;

	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

int query_decode(const char *text, size_t len, bool is_query, char *out)
{
	int nr = 0, byte;

	for (size_t i = 0; i < len; i++) {
		byte = (unsigned char)text[i];
		if (byte == '%') {
			byte = escaped_byte(text + i, len - i);
			if (byte < 0)
				return -EINVAL;
			i += 2;
		} else if (byte == '+' && is_query) {
			byte = ' ';
		}
		out[nr++] = byte;
	}
	out[nr] = 0;
	return nr;
}

/*
 * Decodes the value of a pair "name=value" of len bytes.
 * Returns: is the pair valid, and its name the wanted one?
 */
static bool take_pair(const char *pair, size_t len, const char *name, char *out)
{
	const char *equals = memchr(pair, '=', len);
	size_t name_len = equals ? (size_t)(equals - pair) : len;
	size_t value_at = equals ? name_len + 1 : len;
	int decoded;

	if (!len || memchr(pair, ';', len))
		return false;
	decoded = query_decode(pair, name_len, true, out);
	if (decoded < 0 || (size_t)decoded != strlen(name) || memcmp(out, name, decoded))
		return false;
	decoded = query_decode(pair + value_at, len - value_at, true, out);
	return decoded >= 0;
}

bool query_find(const char *query, const char *name, char *out)
{
	size_t len;

	for (;; query += len + 1) {
		len = strcspn(query, "&");
		if (take_pair(query, len, name, out))
			return true;
		if (!query[len])
			break;
	}
	out[0] = 0;
	return false;
}

int query_integer(const char *text, int64_t *number)
{
	const char *digits = text + (*text == '+' || *text == '-');

	*number = 0;
	if (!*digits || digits[strspn(digits, "0123456789")])
		return -EINVAL;
	errno = 0;
	*number = strtoll(text, NULL, 10);
	return errno ? -ERANGE : 0;
}
