// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/source/stratified.h"

#define PERIOD	65536

static struct pprof_stratified strata;

static int setup(void **state)
{
	(void)state;
	pprof_stratified_init(&strata, PERIOD, 12345);
	return 0;
}

static u64 take(u64 amount, int times)
{
	u64 nr = 0;

	while (times--)
		nr += pprof_stratified_take(&strata, PERIOD, amount);
	return nr;
}

/* However the strata are cut, each that is full had one point. */
static void test_each_stratum_has_a_point(void **state)
{
	static const u64 amounts[] = { 1, 4096, 65535, 65536, 65537, 100000, 1 << 21 };

	(void)state;
	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++) {
		setup(NULL);
		assert_int_equal(take(amounts[i], PERIOD), amounts[i]);
		assert_int_equal(strata.at, 0);
	}
}

static void test_an_amount_of_many_strata(void **state)
{
	(void)state;
	assert_int_equal(take(100ULL * PERIOD, 1), 100);
	assert_true(take(100ULL * PERIOD - 1, 1) >= 99);
	assert_true(take(1ULL << 40, 1) >= (1ULL << 40) / PERIOD);
}

static void test_nothing(void **state)
{
	(void)state;
	assert_int_equal(take(0, 1000), 0);
}

/*
 * A large amount and a small one in turns: each has its share, whatever the
 * strata begin with.
 */
static void test_shares(void **state)
{
	u64 small = 0, large = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		large += take(3 * 65536, 1);
		small += take(16384, 1);
	}
	assert_in_range(large, 299000, 301000);
	assert_in_range(small, 24500, 25500);
}

/* Which one of sixteen pages it is differs from stratum to stratum. */
static void test_no_page_is_preferred(void **state)
{
	int nr[16] = { 0 };

	(void)state;
	for (int i = 0; i < 160000; i++)
		nr[i % 16] += take(PERIOD / 16, 1);
	for (int i = 0; i < 16; i++)
		assert_in_range(nr[i], 500, 750);
}

static void test_a_period_of_one(void **state)
{
	(void)state;
	pprof_stratified_init(&strata, 1, 0);
	assert_int_equal(pprof_stratified_take(&strata, 1, 4096), 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_stratum_has_a_point, setup),
		cmocka_unit_test_setup(test_an_amount_of_many_strata, setup),
		cmocka_unit_test_setup(test_nothing, setup),
		cmocka_unit_test_setup(test_shares, setup),
		cmocka_unit_test_setup(test_no_page_is_preferred, setup),
		cmocka_unit_test(test_a_period_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
