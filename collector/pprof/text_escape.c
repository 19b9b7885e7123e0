// SPDX-License-Identifier: GPL-2.0
#include "pprof/text_escape.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

void text_escape_put(FILE *out, const char *s, const char *space)
{
	size_t len = strnlen(s, TEXT_ESCAPE_MAX_BYTES), n;
	uint32_t rune = 0;

	for (; len; s += n, len -= n) {
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
	size_t len = strnlen(s, TEXT_ESCAPE_MAX_BYTES), width = 0, n;
	uint32_t rune;

	for (; len; s += n, len -= n, width++) {
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
