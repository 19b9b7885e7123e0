// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/report.c collector/analysis/label_units.c collector/analysis/path.c
// sources: collector/analysis/unit.c collector/pprof/model.c collector/pprof/value_unit.c
// sources: collector/base/span_set.c collector/base/string_table.c collector/base/utf8.c
// libs: -lxxhash -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/label_units.h"
#include "analysis/report.h"
#include "pprof/merge.h"
#include "report_model.h"

static int setup(void **state)
{
	struct model *m = model_new();

	assert_non_null(m);
	add_type(m, "samples", "count");
	add_type(m, "cpu", "nanoseconds");
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void test_the_total_has_no_signs(void **state)
{
	add_sample(*state, 5, NULL, 0, NULL, 0);
	add_sample(*state, -2, NULL, 0, NULL, 0);
	assert_int_equal(report_total(*state, 0, false), 7);
	assert_int_equal(report_total(*state, 1, false), 70000000);
	/* The divisor has signs. */
	assert_int_equal(report_total(*state, 1, true), 70000000 / 3);
}

static void test_the_total_is_that_of_the_base(void **state)
{
	struct model *m = *state;
	struct model_label other = make_label(m, MERGE_BASE_LABEL, "false", 0, "");
	struct model_label base = make_label(m, MERGE_BASE_LABEL, "true", 0, "");

	add_sample(m, 5, NULL, 0, &other, 1);
	assert_int_equal(report_total(m, 0, false), 5);
	add_sample(m, 0, NULL, 0, &base, 1);
	assert_int_equal(report_total(m, 0, false), 5);
	add_sample(m, -2, NULL, 0, &base, 1);
	assert_int_equal(report_total(m, 0, false), 2);
}

static void test_a_key_has_the_first_unit(void **state)
{
	struct model *m = *state;
	struct label_units units;
	struct model_label labels[] = {
		make_label(m, "size", NULL, 1, ""), make_label(m, "size", NULL, 2, "kilobytes"),
		make_label(m, "size", NULL, 3, "bytes"), make_label(m, "request", NULL, 4, ""),
		make_label(m, "tid", NULL, 5, ""),
	};

	add_sample(m, 1, NULL, 0, labels, 5);
	assert_int_equal(label_units_init(&units, m), 0);
	assert_string_equal(label_units_get(&units, m, labels[0].key), "kilobytes");
	assert_string_equal(label_units_get(&units, m, labels[3].key), "bytes");
	assert_string_equal(label_units_get(&units, m, labels[4].key), "tid");
	/* A string that was added after the units were found. */
	assert_string_equal(label_units_get(&units, m, add_text(m, "new")), "new");
	label_units_fini(&units);
}

static const char *head_of(const struct model *m, int64_t total)
{
	static char text[512];
	struct report r = { .model = m, .type = 1, .unit = UNIT_MINIMUM, .total = total };
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	report_print_head(out, &r);
	putc('\0', out);
	fclose(out);
	return text;
}

static void test_head(void **state)
{
	struct model *m = *state;

	assert_string_equal(head_of(m, 0), "Type: cpu\n");
	m->time_ns = -1;
	assert_string_equal(head_of(m, 0), "Type: cpu\nTime: 1969-12-31 23:59:59 UTC\n");
	m->time_ns = 0;
	m->duration_ns = 1000;
	/* Without a percentage there is a blank at the end, as in Go's pprof. */
	assert_string_equal(head_of(m, 0), "Type: cpu\nDuration: 1us, Total samples = 0 " "\n");
	assert_string_equal(head_of(m, 2000),
			    "Type: cpu\nDuration: 1us, Total samples = 2us (200.00%)\n");
	m->sample_types.items[1].type = 0;
	assert_string_equal(head_of(m, 0), "Duration: 1us, Total samples = 0 " "\n");
}

/* The zone of times is the local one. */
static int set_zone(void **state)
{
	(void)state;
	return setenv("TZ", "UTC", 1);
}

int main(void)
{
#define TEST(function)	cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_the_total_has_no_signs),
		TEST(test_the_total_is_that_of_the_base),
		TEST(test_a_key_has_the_first_unit),
		TEST(test_head),
	};

	return cmocka_run_group_tests(tests, set_zone, NULL);
}
