// SPDX-License-Identifier: GPL-2.0
#include "base/utf8.h"

#include <string.h>

#define REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD */

/*
 * By length in bytes: the lowest character that needs this length. A lower character would be
 * an overlong form, a second spelling of the same text. RFC 3629, section 3, forbids it.
 */
static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/* Returns the length of the character that the byte starts, or 0 if no character starts so. */
static size_t length_by_lead(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xC0 && lead < 0xE0)
		return 2;
	if (lead >= 0xE0 && lead < 0xF0)
		return 3;
	if (lead >= 0xF0 && lead < 0xF8)
		return 4;
	return 0;
}

size_t utf8_next(const char *s, size_t len, uint32_t *rune)
{
	size_t nr_bytes = len ? length_by_lead(*s) : 0;
	uint32_t value;

	if (!nr_bytes || nr_bytes > len)
		return 0;
	value = nr_bytes == 1 ? (unsigned char)*s : (unsigned char)*s & (0x7F >> nr_bytes);
	for (size_t i = 1; i < nr_bytes; i++) {
		unsigned char byte = s[i];

		if ((byte & 0xC0) != 0x80)
			return 0;
		value = value << 6 | (byte & 0x3F);
	}
	if (value < lowest[nr_bytes] || value > 0x10FFFF)
		return 0;
	if (value >= 0xD800 && value <= 0xDFFF)
		return 0;
	*rune = value;
	return nr_bytes;
}

bool utf8_is_valid(const char *s, size_t len)
{
	uint32_t rune;
	size_t n;

	for (; len; s += n, len -= n) {
		n = utf8_next(s, len, &rune);
		if (!n)
			return false;
	}
	return true;
}

size_t utf8_width(const char *s, size_t len)
{
	size_t width = 0;
	uint32_t rune;

	for (size_t at = 0; at < len; width++)
		at += utf8_next(s + at, len - at, &rune) ?: 1;
	return width;
}

bool utf8_is_control(uint32_t rune)
{
	if (rune < 0x20 || (rune >= 0x7F && rune <= 0x9F))
		return true;
	/* Marks and overrides of the direction; line and paragraph separators. */
	return rune == 0x61C || rune == 0x200E || rune == 0x200F ||
	       (rune >= 0x2028 && rune <= 0x202E) ||
	       (rune >= 0x2066 && rune <= 0x2069);
}

static void print_escaped(FILE *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(out, "\\x%02x", (unsigned char)s[i]);
}

/* Prints the character at s, or one byte of invalid UTF-8. Returns its length in bytes. */
static size_t print_character(FILE *out, const char *s, size_t left)
{
	uint32_t rune = 0;
	size_t nr_bytes = utf8_next(s, left, &rune), taken = nr_bytes ? nr_bytes : 1;

	if (!nr_bytes || utf8_is_control(rune))
		print_escaped(out, s, taken);
	else if (rune == '\\')
		fputs("\\\\", out);
	else
		fwrite(s, 1, taken, out);
	return taken;
}

/*
 * Returns how many bytes at s are printed unchanged. Most names have no other bytes, so they
 * need one fwrite().
 */
static size_t plain_bytes(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7F && s[n] != '\\')
		n++;
	return n;
}

void utf8_print(FILE *out, const char *s)
{
	utf8_print_bytes(out, s, strlen(s));
}

void utf8_print_bytes(FILE *out, const char *s, size_t len)
{
	size_t left = len, taken;

	for (; left; s += taken, left -= taken) {
		taken = plain_bytes(s, left);
		if (taken)
			fwrite(s, 1, taken, out);
		else
			taken = print_character(out, s, left);
	}
}

size_t utf8_clean(char *out, const char *s, size_t len)
{
	size_t left = len, n = 0;

	while (left) {
		uint32_t rune;
		size_t nr_bytes = utf8_next(s, left, &rune);
		const char *from = nr_bytes ? s : REPLACEMENT;
		size_t taken = nr_bytes ? nr_bytes : 1;

		if (!nr_bytes)
			nr_bytes = strlen(REPLACEMENT);
		memcpy(out + n, from, nr_bytes);
		n += nr_bytes;
		s += taken;
		left -= taken;
	}
	return n;
}
