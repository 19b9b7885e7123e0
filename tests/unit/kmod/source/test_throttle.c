// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/source/throttle.h"

#define PERIOD	300000ULL	/* of 10 kHz, at 3 GHz */
#define PERCENT	25

static struct pprof_throttle overload;
static u64 now;
static u64 period_ns;	/* of the clock that ticks */

static int setup(void **state)
{
	(void)state;
	overload = (struct pprof_throttle){ 0 };
	now = 1ULL << 50;	/* a machine that has been up for long */
	period_ns = 100000;
	return 0;
}

/* One that begins so long after the last one ended; is it too much? */
static int tick(u64 idle, u64 took)
{
	u64 begin = now + idle;

	now = begin + took;
	return pprof_throttle_note(&overload, begin, now, PERCENT, period_ns);
}

/* So many of them, one each period; how often it was too much. */
static int ticks(int nr, u64 took)
{
	int nr_dear = 0;

	while (nr--)
		nr_dear += tick(PERIOD - took, took);
	return nr_dear;
}

static void test_cheap(void **state)
{
	(void)state;
	assert_int_equal(ticks(1000000, PERIOD * PERCENT / 100), 0);
}

/* Twice the share: what is too much of a period is a share of it. The first is free. */
static void test_dear(void **state)
{
	const int nr = PPROF_THROTTLE_BURST * 100 / (PERIOD * PERCENT) + 1;

	(void)state;
	assert_int_equal(ticks(1, PERIOD * PERCENT / 50), 0);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(ticks(nr - 1, PERIOD * PERCENT / 50), 0);
		assert_int_equal(ticks(1, PERIOD * PERCENT / 50), 1);
	}
}

static void test_a_little_too_dear(void **state)
{
	(void)state;
	assert_in_range(ticks(100000, PERIOD * (PERCENT + 1) / 100), 50, 70);
}

/* Each cheap, and together dear: by turns, or in the same interrupt. */
static void test_several_clocks(void **state)
{
	const u64 each = PERIOD * PERCENT / 400;
	int nr_dear = 0;

	(void)state;
	for (int i = 0; i < 10000; i++)
		nr_dear += tick(PERIOD / 5 - each, each);
	assert_int_not_equal(nr_dear, 0);
	setup(state);
	nr_dear = 0;
	for (int i = 0; i < 10000; i++) {
		nr_dear += tick(PERIOD - 5 * each, each);
		for (int n = 1; n < 5; n++)
			nr_dear += tick(0, each);
	}
	assert_int_not_equal(nr_dear, 0);
}

static void test_several_cheap_clocks(void **state)
{
	const u64 each = PERIOD * PERCENT / 400;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(tick(PERIOD - 4 * each, each), 0);
		for (int n = 1; n < 4; n++)
			assert_int_equal(tick(0, each), 0);
	}
}

/* Half of the clocks take nothing: the others are as dear as they are. */
static void test_dear_ones_between_cheap_ones(void **state)
{
	int nr_dear = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		nr_dear += tick(0, PERIOD / 100);
		nr_dear += tick(PERIOD * 59 / 100, PERIOD * 40 / 100);
	}
	assert_int_not_equal(nr_dear, 0);
}

/* A hypervisor takes the CPU away in the middle, for whatever length. */
static void test_stolen(void **state)
{
	(void)state;
	for (u64 stolen = PERIOD; stolen < PERIOD << 20; stolen *= 2)
		for (int i = 0; i < 100; i++) {
			assert_int_equal(tick(PERIOD, stolen), 0);
			assert_int_equal(ticks(99, PERIOD / 5), 0);
		}
}

static void test_several_stolen_in_a_row(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(tick(PERIOD, PPROF_THROTTLE_TICK), 0);
}

/* It takes the CPU away most of the time: what is left is what ticks have a share of. */
static void test_stolen_between_ticks(void **state)
{
	int nr_dear = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		nr_dear += ticks(50, PERIOD * PERCENT / 50);
		nr_dear += tick(1000 * PERIOD, PERIOD * PERCENT / 50);
	}
	assert_int_not_equal(nr_dear, 0);
	setup(state);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(ticks(50, PERIOD * PERCENT / 110), 0);
		assert_int_equal(tick(1000 * PERIOD, PERIOD * PERCENT / 110), 0);
	}
}

/* Who is slow is not to blame, and is blamed again when the fast one has gone. */
static void test_slow_beside_fast(void **state)
{
	int nr_dear = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		period_ns = 100000;
		nr_dear += ticks(10, PERIOD / 2);
		period_ns = 10000000;
		assert_int_equal(ticks(1, PERIOD / 2), 0);
	}
	assert_in_range(nr_dear, 1000, 100000);
	for (int i = 0; i < 100; i++)
		tick(100 * PERIOD, 1);
	assert_in_range(ticks(1000, PERIOD / 2), 1, 1000);
}

/* A target that hardly runs costs little. */
static void test_rare_ticks(void **state)
{
	(void)state;
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(tick(10 * PERIOD, PERIOD), 0);
		assert_int_equal(tick(10 * PERIOD, PERIOD), 0);
	}
}

/* What it saved while it slept is not spent later. */
static void test_after_a_long_sleep(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(tick(1ULL << 60, 1), 0);
		assert_int_equal(ticks(10000, PERIOD * 9 / 10) > 0, 1);
	}
}

/* At its first tick, whatever the share; and a clock that was set back. */
static void test_odd_times(void **state)
{
	static const u64 times[] = { 0, 1, 1ULL << 40, 1ULL << 57, 1ULL << 62, -2ULL };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		for (u32 percent = 1; percent <= 100; percent++)
			assert_false(pprof_throttle_note(&overload, times[i], times[i] + 1, percent,
							 period_ns));
	assert_false(pprof_throttle_note(&overload, 5, 6, PERCENT, period_ns));
}

static void test_halve(void **state)
{
	struct pprof_throttle_rate rate = { .period_ns = 100000 };

	(void)state;
	for (u32 i = 1; i <= 10; i++) {
		assert_true(pprof_throttle_halve(&rate));
		assert_int_equal(rate.halvings, i);
		assert_int_equal(rate.period_ns, 100000ULL << i);
	}
	assert_false(pprof_throttle_halve(&rate));
	assert_int_equal(rate.period_ns, 100000ULL << 10);
}

/* No longer than what may be asked for. */
static void test_halve_slow_ones(void **state)
{
	struct pprof_throttle_rate rate = { .period_ns = PPROF_MAX_PERIOD_NS / 2 };

	(void)state;
	assert_true(pprof_throttle_halve(&rate));
	assert_int_equal(rate.period_ns, PPROF_MAX_PERIOD_NS);
	assert_false(pprof_throttle_halve(&rate));
	assert_int_equal(rate.period_ns, PPROF_MAX_PERIOD_NS);
	assert_int_equal(rate.halvings, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cheap, setup),
		cmocka_unit_test_setup(test_dear, setup),
		cmocka_unit_test_setup(test_a_little_too_dear, setup),
		cmocka_unit_test_setup(test_several_clocks, setup),
		cmocka_unit_test_setup(test_several_cheap_clocks, setup),
		cmocka_unit_test_setup(test_dear_ones_between_cheap_ones, setup),
		cmocka_unit_test_setup(test_stolen, setup),
		cmocka_unit_test_setup(test_several_stolen_in_a_row, setup),
		cmocka_unit_test_setup(test_stolen_between_ticks, setup),
		cmocka_unit_test_setup(test_slow_beside_fast, setup),
		cmocka_unit_test_setup(test_rare_ticks, setup),
		cmocka_unit_test_setup(test_after_a_long_sleep, setup),
		cmocka_unit_test_setup(test_odd_times, setup),
		cmocka_unit_test(test_halve),
		cmocka_unit_test(test_halve_slow_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
