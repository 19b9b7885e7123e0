// SPDX-License-Identifier: GPL-2.0
#include "flame/markup.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "pprof/value_unit.h"

static void put_byte(FILE *out, char c)
{
	switch (c) {
	case '&':
		fputs("&amp;", out);
		break;
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	case '\'':
		fputs("&#39;", out);
		break;
	default:
		putc(c, out);
	}
}

void markup_text(FILE *out, const char *s)
{
	for (; *s; s++)
		put_byte(out, *s);
}

/* Returns: the number of bytes of the first nr_chars characters. */
static size_t bytes_of(const char *s, size_t nr_chars)
{
	size_t left = strlen(s), at = 0;

	while (nr_chars-- && at < left) {
		uint32_t rune;
		size_t taken = utf8_next(s + at, left - at, &rune);

		at += taken ? taken : 1;
	}
	return at;
}

void markup_text_cut(FILE *out, const char *s, size_t max_chars)
{
	bool fits = !s[bytes_of(s, max_chars)];
	size_t len = bytes_of(s, fits || !max_chars ? max_chars : max_chars - 1);

	for (size_t i = 0; i < len; i++)
		put_byte(out, s[i]);
	if (!fits && max_chars)
		fputs("…", out);
}

struct step {
	double factor;
	const char *unit;
};

static const struct step times[] = {
	{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" }, { 0, NULL },
};

static const struct step sizes[] = {
	{ 1 << 30, "GiB" }, { 1 << 20, "MiB" }, { 1 << 10, "KiB" }, { 1, "B" }, { 0, NULL },
};

/* Writes a whole number with commas. */
static void put_count(FILE *out, double value)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%.0f", fabs(value));

	if (value < 0)
		fputs("−", out);
	for (int i = 0; i < len; i++) {
		putc(digits[i], out);
		if (i + 1 < len && (len - i - 1) % 3 == 0)
			putc(',', out);
	}
}

void markup_value(FILE *out, double value, const char *type, const char *unit)
{
	double ns = value_unit_ratio(unit, "nanoseconds"), bytes = value_unit_ratio(unit, "bytes");
	const struct step *step = ns != 0 ? times : sizes;
	double base = value * (ns != 0 ? ns : bytes);

	if (ns == 0 && bytes == 0) {
		put_count(out, value);
		putc(' ', out);
		markup_text(out, strcmp(unit, "count") ? unit : type);
		return;
	}
	while (step[1].unit && fabs(base) < step->factor)
		step++;
	fprintf(out, "%.*f %s", step->factor == 1 ? 0 : 2, base / step->factor, step->unit);
}
