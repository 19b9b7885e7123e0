// SPDX-License-Identifier: GPL-2.0
#include "base/json.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT	"\xEF\xBF\xBD"		/* U+FFFD */

/* Prints the character at s. Returns its length in bytes. */
static size_t print_char(FILE *out, const char *s, size_t len)
{
	uint32_t rune;
	size_t nr_bytes = utf8_next(s, len, &rune);

	if (!nr_bytes) {
		fputs(REPLACEMENT, out);
		return 1;
	}
	/* No control character is above U+FFFF: four digits are enough. */
	if (utf8_is_control(rune)) {
		fprintf(out, "\\u%04x", rune);
		return nr_bytes;
	}
	if (rune == '"' || rune == '\\')
		putc('\\', out);
	fwrite(s, 1, nr_bytes, out);
	return nr_bytes;
}

void json_string(FILE *out, const char *s)
{
	json_string_bytes(out, s, strlen(s));
}

void json_string_bytes(FILE *out, const char *s, size_t len)
{
	putc('"', out);
	while (len) {
		size_t taken = print_char(out, s, len);

		s += taken;
		len -= taken;
	}
	putc('"', out);
}

/* Pages and exports have millions of numbers, and fprintf() takes most of the time for them. */
void json_integer(FILE *out, int64_t number)
{
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[20];
	size_t first = sizeof(digits);

	do
		digits[--first] = '0' + left % 10;
	while (left /= 10);
	if (number < 0)
		digits[--first] = '-';
	fwrite_unlocked(digits + first, 1, sizeof(digits) - first, out);
}
