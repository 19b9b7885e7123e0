// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/text_escape.c collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pprof/text_escape.h"

static char *text;
static size_t len;

static FILE *begin(void)
{
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	return out;
}

static void assert_end(FILE *out, const char *want)
{
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static const struct {
	const char *in;
	const char *out;
	size_t width;
} cells[] = {
	{ "", "", 0 },
	{ "main", "main", 4 },
	{ "a b", "a_b", 3 },
	{ "a\n\tb\x7f", "a??b?", 5 },
	{ "a\xc3\xa9", "a\xc3\xa9", 2 },
	{ "\xe2\x80\xae", "?", 1 },		/* right-to-left override */
	{ "a\xff\xc3", "a??", 3 },		/* not UTF-8 */
};

static void test_cells(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		FILE *out = begin();

		text_escape_put(out, cells[i].in, "_");
		assert_end(out, cells[i].out);
		assert_int_equal(text_escape_width(cells[i].in), cells[i].width);
	}
}

static void test_long_cell(void **state)
{
	static char in[100000];
	FILE *out = begin();

	(void)state;
	memset(in, 'n', sizeof(in) - 1);
	text_escape_put(out, in, " ");
	fclose(out);
	assert_int_equal(len, TEXT_ESCAPE_MAX_BYTES);
	assert_int_equal(text_escape_width(in), TEXT_ESCAPE_MAX_BYTES);
	free(text);
}

static void test_quoted(void **state)
{
	FILE *out = begin();

	(void)state;
	text_escape_put_quoted(out, "a\\b\n\xc2\x85\xe2\x80\xae\xc3\xa9 ");
	text_escape_put_quoted(out, "");
	assert_end(out, "\"a\\\\b\\u000a\\u0085\\u202e\xc3\xa9 \"\"\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_long_cell),
		cmocka_unit_test(test_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
