// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/query.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "http/query.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static void assert_found(const char *query, const char *name, const char *want)
{
	char out[QUERY_MAX_URL + 1];
	bool found = query_find(query, name, out);

	if (found != !!want || strcmp(out, want ? want : ""))
		fail_msg("'%s' in '%s' is '%s'", name, query, out);
}

/* The expected values are those of url.ParseQuery() and FormValue() of Go 1.26. */
static void test_find(void **state)
{
	(void)state;
	assert_found("seconds=5", "seconds", "5");
	assert_found("a=1&seconds=5&seconds=6", "seconds", "5");
	assert_found("seconds", "seconds", "");
	assert_found("seconds=", "seconds", "");
	assert_found("", "seconds", NULL);
	assert_found("second=1&secondss=2", "seconds", NULL);
	assert_found("sec%6Fnds=%31+%2B", "seconds", "1 +");
	assert_found("x=1=2", "x", "1=2");
	assert_found("&&x=1&&", "x", "1");
}

static void test_find_leaves_out_wrong_pairs(void **state)
{
	(void)state;
	assert_found("x=%zz&x=2", "x", "2");
	assert_found("x=%4", "x", NULL);
	assert_found("x=%", "x", NULL);
	assert_found("%zz=1&x=3", "x", "3");
	assert_found("x=1;y=2&x=4", "x", "4");
}

static void test_decode(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(query_decode("a%00b+", 6, false, out), 4);
	assert_memory_equal(out, "a\0b+", 5);
	assert_int_equal(query_decode("%4", 2, false, out), -EINVAL);
	assert_int_equal(query_decode("%41%", 4, false, out), -EINVAL);
	/* The digits are beyond the text. */
	assert_int_equal(query_decode("%41", 2, false, out), -EINVAL);
}

/* As strconv.ParseInt() and Atoi(). */
static void test_integer(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t number;
	} cases[] = {
		{ "5", 0, 5 }, { "+5", 0, 5 }, { "-5", 0, -5 }, { "007", 0, 7 }, { "0", 0, 0 },
		{ "", -EINVAL, 0 }, { "-", -EINVAL, 0 }, { " 5", -EINVAL, 0 },
		{ "5 ", -EINVAL, 0 }, { "0x5", -EINVAL, 0 }, { "5.0", -EINVAL, 0 },
		{ "+-5", -EINVAL, 0 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -ERANGE, INT64_MAX },
		{ "-99999999999999999999", -ERANGE, INT64_MIN },
	};
	int64_t number;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		int err = query_integer(cases[i].text, &number);

		if (err != cases[i].err || number != cases[i].number)
			fail_msg("'%s' is %lld (%d)", cases[i].text, (long long)number, err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_leaves_out_wrong_pairs),
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_integer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
