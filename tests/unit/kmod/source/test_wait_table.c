// SPDX-License-Identifier: GPL-2.0
// sources: kmod/source/wait_table.c
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/vmalloc.h>

#include "kmod/source/wait_table.h"

static struct pprof_wait_table waits;

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	assert_true(gfp & __GFP_ZERO);
	return calloc(1, size);
}

static int setup(void **state)
{
	(void)state;
	return pprof_wait_table_init(&waits);
}

static int teardown(void **state)
{
	(void)state;
	pprof_wait_table_fini(&waits);
	return 0;
}

static void test_one(void **state)
{
	int on;
	struct pprof_wait *wait;

	(void)state;
	assert_null(pprof_wait_table_find(&waits, 7));
	assert_true(pprof_wait_table_add(&waits, 7, 1234, &on));
	wait = pprof_wait_table_find(&waits, 7);
	assert_non_null(wait);
	assert_int_equal(wait->since_ns, 1234);
	assert_ptr_equal(wait->on, &on);
	assert_null(pprof_wait_table_find(&waits, 8));
	pprof_wait_table_del(wait);
	assert_null(pprof_wait_table_find(&waits, 7));
}

/* The tid of a thread on its way out may be another's, whose wait it is. */
static void test_of_the_dead(void **state)
{
	const struct task_struct waits_too = { .pid = 7 };
	const struct task_struct ends = { .pid = 7, .flags = PF_EXITING };

	(void)state;
	assert_true(pprof_wait_table_add(&waits, 7, 1234, NULL));
	assert_null(pprof_wait_table_of(&waits, &ends));
	assert_ptr_equal(pprof_wait_table_of(&waits, &waits_too), pprof_wait_table_find(&waits, 7));
	assert_non_null(pprof_wait_table_find(&waits, 7));
}

/* Tids in sequence, as the kernel gives them: there is a place for each. */
static void test_as_many_as_slots(void **state)
{
	(void)state;
	for (uint32_t tid = 1000; tid < 1000 + PPROF_WAIT_TABLE_SLOTS; tid++)
		assert_true(pprof_wait_table_add(&waits, tid, tid, NULL));
	for (uint32_t tid = 1000; tid < 1000 + PPROF_WAIT_TABLE_SLOTS; tid++)
		assert_int_equal(pprof_wait_table_find(&waits, tid)->since_ns, tid);
}

/* Pools of threads whose tids lie over one another: as many as a bucket has places. */
static void test_pools(void **state)
{
	(void)state;
	for (uint32_t pool = 0; pool < PPROF_WAIT_TABLE_BUCKET; pool++)
		for (uint32_t tid = 1000 + pool; tid < 1200; tid++)
			assert_true(pprof_wait_table_add(&waits,
							 tid + pool * PPROF_WAIT_TABLE_SLOTS,
							 tid, NULL));
}

/* Fails if the last bucket does not spill to the first one, or if another tid is found there. */
static void test_spill(void **state)
{
	const uint32_t last = PPROF_WAIT_TABLE_SLOTS / PPROF_WAIT_TABLE_BUCKET - 1;
	uint32_t tid = last;

	(void)state;
	for (uint32_t i = 0; i <= PPROF_WAIT_TABLE_BUCKET; i++, tid += PPROF_WAIT_TABLE_SLOTS) {
		assert_false(pprof_wait_table_is(&waits, last, PPROF_WAIT_TABLE_SPILLED));
		assert_true(pprof_wait_table_add(&waits, tid, i, NULL));
	}
	assert_true(pprof_wait_table_is(&waits, last, PPROF_WAIT_TABLE_SPILLED));
	assert_false(pprof_wait_table_is(&waits, last + 1, PPROF_WAIT_TABLE_SPILLED));
	tid -= PPROF_WAIT_TABLE_SLOTS;
	assert_int_equal(pprof_wait_table_find(&waits, tid)->since_ns, PPROF_WAIT_TABLE_BUCKET);
	assert_ptr_equal(pprof_wait_table_find(&waits, tid), pprof_wait_table_bucket(&waits, 0));
	assert_null(pprof_wait_table_find(&waits, tid + PPROF_WAIT_TABLE_SLOTS));
	pprof_wait_table_del(pprof_wait_table_find(&waits, last));
	assert_int_equal(pprof_wait_table_find(&waits, tid)->since_ns, PPROF_WAIT_TABLE_BUCKET);
	pprof_wait_table_del(pprof_wait_table_find(&waits, tid));
	assert_null(pprof_wait_table_find(&waits, tid));
}

/* Tids that fall together, until there is no room; a place is used anew. */
static void test_full_bucket(void **state)
{
	uint32_t tid = 5;

	(void)state;
	for (uint32_t i = 0; i < PPROF_WAIT_TABLE_BUCKET * PPROF_WAIT_TABLE_REACH; i++) {
		assert_true(pprof_wait_table_add(&waits, tid, i, NULL));
		assert_int_equal(pprof_wait_table_find(&waits, tid)->since_ns, i);
		tid += PPROF_WAIT_TABLE_SLOTS;
	}
	assert_false(pprof_wait_table_is(&waits, 5, PPROF_WAIT_TABLE_FULL));
	assert_false(pprof_wait_table_add(&waits, tid, 99, NULL));
	assert_null(pprof_wait_table_find(&waits, tid));
	assert_true(pprof_wait_table_is(&waits, 5, PPROF_WAIT_TABLE_FULL));
	assert_false(pprof_wait_table_is(&waits, 6, PPROF_WAIT_TABLE_FULL));
	pprof_wait_table_del(pprof_wait_table_find(&waits, 5 + 3 * PPROF_WAIT_TABLE_SLOTS));
	assert_true(pprof_wait_table_add(&waits, tid, 99, NULL));
	assert_int_equal(pprof_wait_table_find(&waits, tid)->since_ns, 99);
	assert_int_equal(pprof_wait_table_find(&waits, 5)->since_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_the_dead, setup, teardown),
		cmocka_unit_test_setup_teardown(test_as_many_as_slots, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pools, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_bucket, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
