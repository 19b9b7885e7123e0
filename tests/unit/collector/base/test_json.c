// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/json.c collector/base/utf8.c
// libs:
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"

#define BAD	"\xEF\xBF\xBD"		/* U+FFFD */

/* Reads from a copy without slack, so that ASan sees one read too many. */
static char *to_json(const char *s)
{
	char *copy = strdup(s);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(copy);
	assert_non_null(out);
	json_string(out, copy);
	fclose(out);
	free(copy);
	return text;
}

static void test_string_is_quoted_and_clean(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{ "", "\"\"" },
		{ "plain /path.c:1", "\"plain /path.c:1\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\t\x01\x1B\x1F\x7F", "\"\\u000a\\u0009\\u0001\\u001b\\u001f\\u007f\"" },
		{ "\xC2\x9B", "\"\\u009b\"" },
		{ "\xE2\x80\xAE", "\"\\u202e\"" },
		{ "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
		  "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"" },
		{ BAD, "\"" BAD "\"" },
		{ "\xFF", "\"" BAD "\"" },
		{ "\x80z", "\"" BAD "z\"" },
		{ "a\xC3", "\"a" BAD "\"" },
		{ "\xC3\"", "\"" BAD "\\\"\"" },
		{ "\xED\xA0\x80", "\"" BAD BAD BAD "\"" },		/* a surrogate */
		{ "\xC0\x80z", "\"" BAD BAD "z\"" },			/* overlong */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = to_json(cases[i].in);

		assert_string_equal(text, cases[i].out);
		free(text);
	}
}

/* No byte below a space and no bare quote is printed: the line of JSON stays one line. */
static void assert_is_string(const char *text)
{
	size_t len = strlen(text);

	assert_true(len >= 2 && text[0] == '"' && text[len - 1] == '"');
	for (size_t i = 1; i < len - 1; i++) {
		unsigned char c = text[i];

		assert_true(c >= 0x20 && c != 0x7F && c != '"');
		if (c == '\\')
			i++;
		assert_true(i < len - 1);
	}
}

static void test_string_holds_for_every_pair_of_bytes(void **state)
{
	(void)state;
	for (unsigned int first = 1; first < 256; first++) {
		for (unsigned int second = 1; second < 256; second++) {
			char pair[3] = { first, second, '\0' };
			char *text = to_json(pair);

			assert_is_string(text);
			free(text);
		}
	}
}

static void test_integers(void **state)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	json_integer(out, INT64_MIN);
	json_integer(out, 0);
	json_integer(out, -10);
	json_integer(out, INT64_MAX);
	fclose(out);
	assert_string_equal(text, "-92233720368547758080-109223372036854775807");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_string_is_quoted_and_clean),
		cmocka_unit_test(test_string_holds_for_every_pair_of_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
