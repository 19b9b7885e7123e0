// SPDX-License-Identifier: GPL-2.0
// sources: kmod/heap/live_objects.c
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/vmalloc.h>

#include "kmod/heap/live_objects.h"

#define IMAGE	7
#define NR_ADDRESSES	101
#define AT(i)	together[i]

bool shim_irqs_are_off = true;	/* its callers are hooks */

static struct pprof_live live;
static u64 gone_image;
static u64 together[NR_ADDRESSES];	/* addresses of one bucket */
static u64 alone;			/* another's */

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	assert_true(gfp & __GFP_ZERO);
	return calloc(1, size);
}

static bool is_gone(const struct pprof_live_object *object)
{
	return object->exec_id == gone_image;
}

static u64 bucket_of(u64 address)
{
	return hash_64(address, PPROF_LIVE_BUCKET_BITS);
}

static void find_addresses(void)
{
	u64 address = 0x1000;

	for (int i = 0; i < NR_ADDRESSES; address += 16)
		if (bucket_of(address) == bucket_of(0x1000))
			together[i++] = address;
		else
			alone = address;
}

static int setup(void **state)
{
	(void)state;
	find_addresses();
	gone_image = 0;
	return pprof_live_objects_init(&live, is_gone);
}

static int teardown(void **state)
{
	(void)state;
	pprof_live_objects_fini(&live);
	pprof_live_objects_fini(&live);
	return 0;
}

static bool add(u64 address, u64 exec_id, u64 number, u64 *stale)
{
	const struct pprof_live_object object = {
		.address = address, .exec_id = exec_id, .number = number,
	};

	return pprof_live_objects_add(&live, &object, stale);
}

static void test_taken_once(void **state)
{
	u64 stale = 99;

	(void)state;
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE), 0);
	assert_true(add(AT(1), IMAGE, 5, &stale));
	assert_int_equal(stale, 0);
	assert_int_equal(pprof_live_objects_take(&live, AT(2), IMAGE), 0);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE), 5);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE), 0);
}

/* A child's objects are where its parent's are. */
static void test_of_each_image(void **state)
{
	u64 stale;

	(void)state;
	assert_true(add(AT(1), IMAGE, 5, &stale));
	assert_true(add(AT(1), IMAGE + 1, 6, &stale));
	assert_int_equal(stale, 0);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE + 2), 0);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE + 1), 6);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE), 5);
}

static void test_an_end_that_was_not_seen(void **state)
{
	u64 stale;

	(void)state;
	assert_true(add(AT(1), IMAGE, 5, &stale));
	assert_true(add(AT(1), IMAGE, 6, &stale));
	assert_int_equal(stale, 5);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE), 6);
	assert_int_equal(pprof_live_objects_take(&live, AT(1), IMAGE), 0);
}

static void fill(void)
{
	u64 stale;

	for (int i = 0; i < PPROF_LIVE_IN_BUCKET; i++)
		assert_true(add(AT(i), IMAGE + i % 2, 10 + i, &stale));
}

static void test_full(void **state)
{
	u64 stale;

	(void)state;
	fill();
	assert_false(add(AT(100), IMAGE, 50, &stale));
	assert_int_equal(stale, 0);
	/* Another bucket has room, and this one again after a free. */
	assert_true(add(alone, IMAGE, 51, &stale));
	assert_int_equal(pprof_live_objects_take(&live, AT(3), IMAGE + 1), 13);
	assert_true(add(AT(100), IMAGE, 50, &stale));
	for (int i = 0; i < PPROF_LIVE_IN_BUCKET; i++)
		assert_int_equal(pprof_live_objects_take(&live, AT(i), IMAGE + i % 2),
				 i == 3 ? 0 : 10 + i);
	assert_int_equal(pprof_live_objects_take(&live, AT(100), IMAGE), 50);
}

static void test_the_dead_make_room(void **state)
{
	u64 stale;

	(void)state;
	fill();
	gone_image = IMAGE + 1;
	assert_true(add(AT(100), IMAGE, 50, &stale));
	for (int i = 0; i < PPROF_LIVE_IN_BUCKET; i++)
		assert_int_equal(pprof_live_objects_take(&live, AT(i), IMAGE + i % 2),
				 i % 2 ? 0 : 10 + i);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_taken_once),
		WITH_SETUP(test_of_each_image),
		WITH_SETUP(test_an_end_that_was_not_seen),
		WITH_SETUP(test_full),
		WITH_SETUP(test_the_dead_make_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
