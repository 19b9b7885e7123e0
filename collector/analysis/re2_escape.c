// SPDX-License-Identifier: GPL-2.0
#include "analysis/re2_escape.h"

#include <string.h>

#define LAST_RUNE	0x10FFFF

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads hexadecimal digits. Returns: how many there were, or 0 if the number is no character. */
static int take_hex(const char **at, const char *end, int max_digits, uint32_t *rune)
{
	int nr = 0;

	*rune = 0;
	while (nr < max_digits && *at < end && hex_digit(**at) >= 0) {
		*rune = *rune * 16 + hex_digit(*(*at)++);
		nr++;
		if (*rune > LAST_RUNE)
			return 0;
	}
	return nr;
}

/* Reads 41 or {10FFFF}, after "\x". */
static bool take_hex_escape(const char **at, const char *end, uint32_t *rune)
{
	if (*at == end || **at != '{')
		return take_hex(at, end, 2, rune) == 2;
	(*at)++;
	return take_hex(at, end, INT32_MAX, rune) && *at < end && *(*at)++ == '}';
}

/* Reads up to three octal digits; the first one is c. */
static uint32_t take_octal(const char **at, const char *end, char c)
{
	uint32_t rune = c - '0';

	for (int i = 1; i < 3 && *at < end && **at >= '0' && **at <= '7'; i++)
		rune = rune * 8 + (*(*at)++ - '0');
	return rune;
}

/* A digit from 1 to 7 begins a number only if another one follows. \1 is a backreference. */
static bool is_octal(const char *at, const char *end, char c)
{
	return c == '0' || (c >= '1' && c <= '7' && at < end && *at >= '0' && *at <= '7');
}

bool re2_escape_take(const char **at, const char *end, uint32_t *rune)
{
	static const char letters[] = "afnrtv", meanings[] = "\a\f\n\r\t\v";
	const char *letter;
	char c;

	if (*at == end || (signed char)**at < 0)
		return false;
	c = *(*at)++;
	letter = memchr(letters, c, sizeof(letters) - 1);
	if (c == 'x')
		return take_hex_escape(at, end, rune);
	if (letter) {
		*rune = meanings[letter - letters];
		return true;
	}
	if (is_octal(*at, end, c)) {
		*rune = take_octal(at, end, c);
		return true;
	}
	*rune = c;
	return !re2_escape_is_alnum(c);
}
