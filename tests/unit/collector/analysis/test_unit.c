// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/unit.c collector/pprof/value_unit.c collector/base/utf8.c
// libs: -lm
/* What is expected was printed by Go's pprof (ScaledLabel and Percentage of its measurement). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/unit.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static void test_labels(void **state)
{
	static const struct {
		int64_t value;
		const char *from, *to, *text;
	} cases[] = {
		{ 0, "ns", "auto", "0" },
		{ 1, "ns", "auto", "1ns" },
		{ 999, "ns", "auto", "999ns" },
		{ 1000, "ns", "auto", "1us" },
		{ 1500000, "nanoseconds", "auto", "1.50ms" },
		{ -1500000, "nanoseconds", "auto", "-1.50ms" },
		{ 90000000000, "ns", "auto", "90s" },
		{ 3600000000000, "ns", "auto", "1hrs" },
		{ 7, "count", "auto", "7" },
		{ 7, "widgets", "auto", "7" },
		{ 7, "", "auto", "7" },
		{ 7, "x", "widgets", "7widgets" },
		{ 7, "x", "count", "7" },
		{ 1024, "bytes", "auto", "1kB" },
		{ 1536, "B", "mb", "0" },
		{ 1125899906842624, "byte", "minimum", "1PB" },
		{ 5, "KiloBytes", "foo", "5120B" },
		{ 5, "ms", "foo", "0.01s" },
		{ 5, "megagcu", "foo", "5000000GCU" },
		{ 5, "ms", "bytes", "0.01s" },
		{ 2, "\xce\xbc" "s", "auto", "2us" },
		{ 2, "hrs", "ns", "7200000000000ns" },
		{ 1, "ss", "auto", "1" },
		{ INT64_MIN, "ns", "auto", "-9223372036.85s" },
		{ INT64_MAX, "petagcu", "nanogcu",
		  "9223372036854775653257495089327465637609472n*GCU" },
		{ 4, "ns", "s", "0" },
		{ -4, "ns", "s", "0" },
		{ 5, "ms", "s", "0.01s" },
		{ 15, "ms", "s", "0.01s" },
		{ 1, "Bs", "auto", "1" },
		{ INT64_MIN, "", "auto", "-9223372036854775808" },
		{ 12345, "ms", "milliseconds", "12345ms" },
		{ 1, "hours", "auto", "1hrs" },
	};
	char text[256], want[256];

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct unit_label label = unit_label(cases[i].value, cases[i].from, cases[i].to);

		snprintf(text, sizeof(text), "%zu: %s%s", i, label.number, label.unit);
		snprintf(want, sizeof(want), "%zu: %s", i, cases[i].text);
		assert_string_equal(text, want);
	}
}

static void test_percentages(void **state)
{
	static const struct {
		int64_t value, total;
		const char *text;
	} cases[] = {
		{ 0, 0, "    0%" },
		{ 5, 0, "    0%" },
		{ 0, 5, "    0%" },
		{ 1, 1, "  100%" },
		{ -1, 1, "  100%" },
		{ 9995, 10000, "  100%" },
		{ 9994, 10000, "99.94%" },
		{ 10005, 10000, "  100%" },
		{ 10006, 10000, "100.06%" },
		{ 1, 100, " 1.00%" },
		{ 99, 10000, " 0.99%" },
		{ 999, 100000, "    1%" },
		{ 9999, 1000000, "    1%" },
		{ 1, 1000000, "0.0001%" },
		{ 1, 10000000, "1e-05%" },
		{ -1, 3, "33.33%" },
		{ INT64_MIN, 1, "922337203685477580800.00%" },
		{ 1, INT64_MAX, "1.1e-17%" },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		assert_string_equal(unit_percentage(cases[i].value, cases[i].total).text,
				    cases[i].text);
}

static void test_a_label_is_padded_by_characters(void **state)
{
	struct unit_label label = unit_label(5, "x", "gr\xc3\xbc\xc3\x9f");
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	unit_label_print(out, &label, 7);
	putc('|', out);
	unit_label_print(out, &label, 2);
	fclose(out);
	assert_string_equal(text, "  5gr\xc3\xbc\xc3\x9f|5gr\xc3\xbc\xc3\x9f");
	free(text);
}

static void test_scale_gives_the_number_for_comparisons(void **state)
{
	struct unit_value kilobytes = unit_scale(131072, "bytes", "KB");
	struct unit_value same = unit_scale(3, "tid", "tid");

	(void)state;
	assert_true(kilobytes.number == 128);
	assert_string_equal(kilobytes.unit, "kB");
	assert_true(same.number == 3);
	assert_string_equal(same.unit, "tid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_percentages),
		cmocka_unit_test(test_a_label_is_padded_by_characters),
		cmocka_unit_test(test_scale_gives_the_number_for_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
