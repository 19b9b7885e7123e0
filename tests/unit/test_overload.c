// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/overload.h"

#define PERIOD	10000
#define HALF	(PPROF_OVERLOAD_TICKS / 2)

static struct pprof_overload overload;
static u64 now;

static int setup(void **state)
{
	(void)state;
	overload = (struct pprof_overload){ 0 };
	now = 1ULL << 40;	/* a machine that has been up for long */
	return 0;
}

/* So many ticks that take so long each; how often the rate should be halved. */
static int ticks(int nr, u64 cost)
{
	int nr_halvings = 0;

	for (; nr; nr--) {
		now += PERIOD;
		nr_halvings += pprof_overload_note(&overload, now, now + cost, 25);
	}
	return nr_halvings;
}

static void test_cheap(void **state)
{
	(void)state;
	assert_int_equal(ticks(10 * PPROF_OVERLOAD_TICKS, PERIOD / 4), 0);
}

/* The first tick of all has none before it. */
static void test_dear(void **state)
{
	(void)state;
	assert_int_equal(ticks(PPROF_OVERLOAD_TICKS - 1, PERIOD / 4 + 1), 0);
	assert_int_equal(ticks(1, PERIOD / 4 + 1), 1);
	assert_int_equal(ticks(PPROF_OVERLOAD_TICKS, PERIOD / 4 + 1), 1);
	assert_int_equal(ticks(PPROF_OVERLOAD_TICKS, PERIOD * 3), 1);
}

static void test_most_decide(void **state)
{
	(void)state;
	ticks(PPROF_OVERLOAD_TICKS, 0);
	assert_int_equal(ticks(HALF, PERIOD), 0);
	assert_int_equal(ticks(HALF, 0), 0);
	assert_int_equal(ticks(HALF - 1, 0), 0);
	assert_int_equal(ticks(HALF + 1, PERIOD), 1);
}

/* A few that take as long as all others, as under a hypervisor. */
static void test_a_few_long_ones(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(ticks(2, PERIOD * 1000ULL), 0);
		assert_int_equal(ticks(PPROF_OVERLOAD_TICKS - 2, 1), 0);
	}
}

/* What counts is the share of the CPU: a target that hardly runs costs little. */
static void test_rare_ticks(void **state)
{
	(void)state;
	for (int i = 0; i < 10 * PPROF_OVERLOAD_TICKS; i++) {
		now += 10 * PERIOD;
		assert_int_equal(ticks(1, PERIOD), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cheap, setup),
		cmocka_unit_test_setup(test_dear, setup),
		cmocka_unit_test_setup(test_most_decide, setup),
		cmocka_unit_test_setup(test_a_few_long_ones, setup),
		cmocka_unit_test_setup(test_rare_ticks, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
