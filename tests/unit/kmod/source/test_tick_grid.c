// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/source/tick_grid.h"

#define PERIOD	1000ULL
#define START	5000000000123ULL

static const struct pprof_tick_grid ticks = { START, PERIOD, 12345 };

/* One in each stratum, whatever the spans. */
static void test_rate(void **state)
{
	(void)state;
	for (u64 n = 1; n < 5000; n++) {
		u64 until = pprof_tick_grid_until(&ticks, START + n * PERIOD);

		assert_true(until >= n && until <= n + 1);
		assert_true(pprof_tick_grid_until(&ticks, START + n * PERIOD - 1) == n);
	}
}

static void test_spans_add_up(void **state)
{
	u64 sum = 0, from = START, to;

	(void)state;
	for (u64 step = 1; step < 3000; step += 7, from = to) {
		to = from + step;
		sum += pprof_tick_grid_between(&ticks, from, to);
	}
	assert_int_equal(sum, pprof_tick_grid_until(&ticks, from) -
				      pprof_tick_grid_until(&ticks, START));
	assert_int_equal(pprof_tick_grid_between(&ticks, START + 90000, START), 0);
}

/* Just before it there is one less. */
static void test_next(void **state)
{
	u64 now = START, next, before;

	(void)state;
	for (int i = 0; i < 5000; i++, now = next) {
		next = pprof_tick_grid_next(&ticks, now);
		before = pprof_tick_grid_until(&ticks, now);
		assert_true(next > now);
		assert_int_equal(pprof_tick_grid_until(&ticks, next - 1), before);
		assert_int_equal(pprof_tick_grid_until(&ticks, next), before + 1);
	}
}

/* Of spans that follow each other, each of ticks that are fewer and count for more. */
static void test_spans_at_several_rates(void **state)
{
	u64 sum = 0, from = START, to;

	(void)state;
	for (u64 n = 1; n < 30000; n++, from = to) {
		u32 halvings = pprof_tick_grid_offset(&ticks, n) % 3;
		const struct pprof_tick_grid fewer = { START, PERIOD << halvings, ticks.seed };

		to = from + 1 + n * 7919 % 3000;
		sum += pprof_tick_grid_between(&fewer, from, to) << halvings;
	}
	assert_in_range(sum, (from - START) / PERIOD * 97 / 100,
			(from - START) / PERIOD * 103 / 100);
}

/* In no step with anything: each tenth of the strata gets its share. */
static void test_offsets(void **state)
{
	int tenths[10] = { 0 };

	(void)state;
	for (u64 n = 0; n < 100000; n++) {
		u64 offset = pprof_tick_grid_offset(&ticks, n);

		assert_true(offset < PERIOD);
		tenths[offset / 100]++;
	}
	for (int i = 0; i < 10; i++)
		assert_true(tenths[i] > 9600 && tenths[i] < 10400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_spans_add_up),
		cmocka_unit_test(test_spans_at_several_rates),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
