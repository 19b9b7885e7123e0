// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/utf8.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define BAD	"\xef\xbf\xbd"

/* Cleans into a buffer of exactly the size that the header requires. */
static void assert_clean(const char *in, const char *want)
{
	char *out = malloc(UTF8_MAX_GROWTH * strlen(in) + 1);
	size_t len;

	assert_non_null(out);
	len = utf8_clean(out, in, strlen(in));
	assert_int_equal(len, strlen(want));
	assert_memory_equal(out, want, len);
	free(out);
}

/* Reads from a copy of just len bytes, so that ASan sees one read too many. */
static size_t next(const char *s, size_t len, uint32_t *rune)
{
	char *copy = malloc(len ? len : 1);
	size_t nr_bytes;

	assert_non_null(copy);
	memcpy(copy, s, len);
	nr_bytes = utf8_next(copy, len, rune);
	free(copy);
	return nr_bytes;
}

static void test_next_decodes_the_first_and_last_of_each_length(void **state)
{
	static const struct {
		const char *s;
		size_t len;
		uint32_t rune;
	} cases[] = {
		{ "\0", 1, 0x00 },
		{ "\x7F", 1, 0x7F },
		{ "\xC2\x80", 2, 0x80 },
		{ "\xDF\xBF", 2, 0x7FF },
		{ "\xE0\xA0\x80", 3, 0x800 },
		{ "\xED\x9F\xBF", 3, 0xD7FF },
		{ "\xEE\x80\x80", 3, 0xE000 },
		{ "\xEF\xBF\xBF", 3, 0xFFFF },
		{ "\xF0\x90\x80\x80", 4, 0x10000 },
		{ "\xF4\x8F\xBF\xBF", 4, 0x10FFFF },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		uint32_t rune = UINT32_MAX;

		assert_int_equal(next(cases[i].s, cases[i].len, &rune), cases[i].len);
		assert_int_equal(rune, cases[i].rune);
	}
}

static void test_next_refuses_what_rfc_3629_forbids(void **state)
{
	static const char *const cases[] = {
		"\x80",			/* continuation without a lead */
		"\xBF",
		"\xC0\x80",		/* overlong */
		"\xC1\xBF",
		"\xE0\x9F\xBF",
		"\xF0\x8F\xBF\xBF",
		"\xED\xA0\x80",		/* surrogates */
		"\xED\xBF\xBF",
		"\xF4\x90\x80\x80",	/* above U+10FFFF */
		"\xF7\xBF\xBF\xBF",
		"\xF8\x88\x80\x80\x80",	/* five bytes */
		"\xFE",
		"\xFF",
		"\xC3(",		/* lead without a continuation */
		"\xE2\x82(",
		"\xE2(\xAC",
		"\xF0\x9F\x98(",
		"\xC3\xC3",
	};
	uint32_t rune;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_int_equal(next(cases[i], strlen(cases[i]), &rune), 0);
}

static void test_next_refuses_what_is_cut(void **state)
{
	uint32_t rune;

	(void)state;
	assert_int_equal(next("", 0, &rune), 0);
	assert_int_equal(next("\xC2\x80", 1, &rune), 0);
	assert_int_equal(next("\xE2\x82\xAC", 2, &rune), 0);
	assert_int_equal(next("\xF0\x9F\x98\x80", 3, &rune), 0);
}

static void test_controls_are_those_a_terminal_acts_on(void **state)
{
	static const uint32_t controls[] = {
		0x00, 0x1B, 0x1F, 0x7F, 0x80, 0x9B, 0x9F, 0x61C, 0x200E, 0x200F,
		0x2028, 0x202E, 0x2066, 0x2069,
	};
	static const uint32_t others[] = {
		0x20, 0x7E, 0xA0, 0x61B, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065,
		0x206A, 0x10FFFF,
	};

	(void)state;
	for (size_t i = 0; i < NR(controls); i++)
		assert_true(utf8_is_control(controls[i]));
	for (size_t i = 0; i < NR(others); i++)
		assert_false(utf8_is_control(others[i]));
}

static void test_print_leaves_nothing_for_the_terminal(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{ "", "" },
		{ "nginx: worker 1", "nginx: worker 1" },
		{ "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80", "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80" },
		{ "\x1B[2Jx\n\x7F", "\\x1b[2Jx\\x0a\\x7f" },
		{ "\xC2\x9B" "31m", "\\xc2\\x9b31m" },
		{ "a\xE2\x80\xAE" "b", "a\\xe2\\x80\\xaeb" },
		{ "\xFF\xC3", "\\xff\\xc3" },
		{ "\xE2\x82" "A", "\\xe2\\x82A" },
		{ "\\x1b", "\\\\x1b" },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		assert_non_null(out);
		utf8_print(out, cases[i].in);
		fclose(out);
		assert_string_equal(text, cases[i].out);
		free(text);
	}
}

static void test_clean_replaces_each_bad_byte_and_keeps_the_rest(void **state)
{
	(void)state;
	assert_clean("", "");
	assert_clean("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	assert_clean("a\xff" "b", "a" BAD "b");
	assert_clean("\xe2\x82(", BAD BAD "(");
	assert_clean("x\xf0\x9f\x98", "x" BAD BAD BAD);
	assert_clean("\xc3\xc3\xbc", BAD "\xc3\xbc");
	assert_clean("\xff\xff\xff", BAD BAD BAD);
}

static void test_width_counts_each_bad_byte(void **state)
{
	(void)state;
	assert_int_equal(utf8_width("", 0), 0);
	assert_int_equal(utf8_width("gr\xc3\xbc\xc3\x9f", 6), 4);
	assert_int_equal(utf8_width("a\0b", 3), 3);
	assert_int_equal(utf8_width("\xe2\x82(\xff", 4), 4);
}

static void test_a_text_with_a_bad_byte_is_not_valid(void **state)
{
	(void)state;
	assert_true(utf8_is_valid("", 0));
	assert_true(utf8_is_valid("gr\xc3\xbc\0\xc3\x9f", 7));
	assert_false(utf8_is_valid("gr\xc3\xbc\xc3", 5));
	assert_false(utf8_is_valid("\xff" "a", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_decodes_the_first_and_last_of_each_length),
		cmocka_unit_test(test_next_refuses_what_rfc_3629_forbids),
		cmocka_unit_test(test_next_refuses_what_is_cut),
		cmocka_unit_test(test_controls_are_those_a_terminal_acts_on),
		cmocka_unit_test(test_print_leaves_nothing_for_the_terminal),
		cmocka_unit_test(test_a_text_with_a_bad_byte_is_not_valid),
		cmocka_unit_test(test_width_counts_each_bad_byte),
		cmocka_unit_test(test_clean_replaces_each_bad_byte_and_keeps_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
