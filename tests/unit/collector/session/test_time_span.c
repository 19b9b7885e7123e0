// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/time_span.c
/* The time namespace is played by this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "session/time_span.h"
#include "procfs/time_namespace.h"

#define OFFSET_NS	INT64_C(-5000000000)
#define S		UINT64_C(1000000000)

int64_t time_namespace_offset_ns(void)
{
	return OFFSET_NS;
}

static void test_as_the_module_says(void **state)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), begin = now - OFFSET_NS - 3 * S;
	int64_t epoch_ns = clock_ns(CLOCK_REALTIME);
	struct time_span d;

	(void)state;
	assert_int_equal(time_span_begin(&d, begin), begin);
	assert_int_equal(d.begin_ns, now - 3 * S);
	assert_in_range(d.time_ns, epoch_ns - 4 * S, epoch_ns - 2 * S);
	assert_int_equal(time_span_end(&d, begin + 7), begin + 7);
	assert_int_equal(d.ns, 7);
}

static void test_now(void **state)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC), begin, end;
	int64_t epoch_ns = clock_ns(CLOCK_REALTIME);
	struct time_span d;

	(void)state;
	begin = time_span_begin(&d, 0);
	assert_int_equal(begin, d.begin_ns - OFFSET_NS);
	end = time_span_end(&d, 0);
	assert_in_range(d.begin_ns, before, clock_ns(CLOCK_MONOTONIC));
	assert_true(d.time_ns >= epoch_ns);
	assert_int_equal(end, d.begin_ns + d.ns - OFFSET_NS);
	assert_in_range(end + OFFSET_NS, d.begin_ns, clock_ns(CLOCK_MONOTONIC));
}

/* Spans follow each other to the ns. A clock that was set moves the next one. */
static void test_spans_in_a_row(void **state)
{
	int64_t epoch_ns = clock_ns(CLOCK_REALTIME);
	struct time_span d, first;

	(void)state;
	time_span_begin(&d, clock_ns(CLOCK_MONOTONIC) - OFFSET_NS - 20 * S);
	first = d;
	assert_int_equal(time_span_cut(&d, first.begin_ns + 7 * S),
			 first.begin_ns + 7 * S - OFFSET_NS);
	assert_int_equal(d.ns, 7 * S);
	time_span_next(&d);
	assert_int_equal(d.begin_ns, first.begin_ns + 7 * S);
	assert_int_equal(d.time_ns, first.time_ns + 7 * S);
	d.time_ns += 3600 * S;
	time_span_cut(&d, d.begin_ns + 3);
	time_span_next(&d);
	assert_int_equal(d.begin_ns, first.begin_ns + 7 * S + 3);
	assert_in_range(d.time_ns, epoch_ns - 14 * S, epoch_ns - 12 * S);
	d.time_ns -= 3600 * S;
	time_span_next(&d);
	assert_in_range(d.time_ns, epoch_ns - 14 * S, epoch_ns - 12 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_module_says),
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_spans_in_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
