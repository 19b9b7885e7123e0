// SPDX-License-Identifier: GPL-2.0
#include "pprof/text_escape.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Returns: how many of the bytes at s are printable ASCII, and no blank. */
static size_t plain_len(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] > ' ' && s[n] < '\x7F')
		n++;
	return n;
}

void text_escape_put(FILE *out, const char *s, const char *space)
{
	size_t len = strnlen(s, TEXT_ESCAPE_MAX_BYTES), n;
	uint32_t rune = 0;

	for (; len; s += n, len -= n) {
		n = plain_len(s, len);
		if (n) {
			fwrite(s, 1, n, out);
			continue;
		}
		n = utf8_next(s, len, &rune);
		if (!n || utf8_is_control(rune))
			fputc('?', out);
		else if (rune == ' ')
			fputs(space, out);
		else
			fwrite(s, 1, n, out);
		n = n ? n : 1;
	}
}

size_t text_escape_width(const char *s)
{
	size_t len = strnlen(s, TEXT_ESCAPE_MAX_BYTES), width = plain_len(s, len), n;
	uint32_t rune;

	for (s += width, len -= width; len; s += n, len -= n, width++) {
		n = utf8_next(s, len, &rune);
		n = n ? n : 1;
	}
	return width;
}

void text_escape_put_quoted(FILE *out, const char *s)
{
	size_t len = strlen(s), n;
	uint32_t rune;

	fputc('"', out);
	for (; *s; s += n, len -= n) {
		n = utf8_next(s, len, &rune);
		if (rune == '\\')
			fputs("\\\\", out);
		else if (utf8_is_control(rune))
			fprintf(out, "\\u%04x", rune);
		else
			fwrite(s, 1, n, out);
	}
	fputc('"', out);
}
