// SPDX-License-Identifier: GPL-2.0
// sources: collector/aggregate/heap_objects.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "aggregate/heap_objects.h"

#define MAX	1000

static int setup(void **state)
{
	*state = heap_objects_new(MAX);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	heap_objects_free(*state);
	return 0;
}

static int add(struct heap_objects *o, uint64_t number)
{
	const struct heap_object object = { .number = number, .bytes = 10 * number };

	return heap_objects_add(o, &object);
}

/* Adds the bytes of an object to *ctx. */
static int sum(void *ctx, const struct heap_object *object)
{
	*(uint64_t *)ctx += object->bytes;
	return 0;
}

static void assert_alive(struct heap_objects *o, uint64_t bytes)
{
	uint64_t alive = 0;

	assert_int_equal(heap_objects_visit(o, sum, &alive), 0);
	assert_int_equal(alive, bytes);
}

static void test_ended_exec_id(void **state)
{
	const struct heap_object of_one = { .number = 1, .bytes = 10, .exec_id = 100 };
	const struct heap_object of_other = { .number = 2, .bytes = 20, .exec_id = 101 };
	struct heap_objects *o = *state;

	assert_int_equal(heap_objects_add(o, &of_one), 0);
	assert_int_equal(heap_objects_end_exec(o, 100), 0);
	assert_int_equal(heap_objects_end_exec(o, 100), 0);
	assert_int_equal(heap_objects_add(o, &of_other), 0);
	assert_alive(o, 20);
}

/* Samples and frees of an ended exec id may be in a ring that is read in the next drain. */
static void test_late_records(void **state)
{
	const struct heap_object late = { .number = 2, .bytes = 20, .exec_id = 100 };
	struct heap_objects *o = *state;

	assert_int_equal(heap_objects_end_exec(o, 100), 0);
	assert_int_equal(heap_objects_del(o, 0, 1), 0);
	heap_objects_end_drain(o);
	assert_int_equal(heap_objects_add(o, &late), 0);
	assert_int_equal(add(o, 1), 0);
	assert_alive(o, 0);
	heap_objects_end_drain(o);
	assert_alive(o, 0);
}

/* Ended exec ids, and frees whose sample never comes, are forgotten and make room. */
static void test_room_is_given_back(void **state)
{
	struct heap_objects *o = *state;

	for (uint64_t exec_id = 1; exec_id <= 10; exec_id++) {
		for (uint64_t i = 0; i < MAX; i++) {
			const struct heap_object object = { .number = exec_id * MAX + i,
							    .exec_id = exec_id };

			assert_int_equal(heap_objects_add(o, &object), 0);
			assert_int_equal(heap_objects_del(o, exec_id, 100 * MAX + i), 0);
		}
		assert_int_equal(heap_objects_end_exec(o, exec_id), 0);
		heap_objects_end_drain(o);
		heap_objects_end_drain(o);
	}
	assert_int_equal(heap_objects_del(o, 0, 100 * MAX), 0);
	heap_objects_end_drain(o);
	heap_objects_end_drain(o);
	assert_int_equal(add(o, 100 * MAX), 0);
	assert_alive(o, 1000 * MAX);
}

static void test_alive(void **state)
{
	struct heap_objects *o = *state;

	assert_alive(o, 0);
	for (uint64_t number = 1; number <= 1000; number++)
		assert_int_equal(add(o, number), 0);
	assert_alive(o, 5005000);
	for (uint64_t number = 1; number <= 1000; number++)
		if (number != 7)
			assert_int_equal(heap_objects_del(o, 0, number), 0);
	assert_alive(o, 70);
}

static void test_free_before_its_sample(void **state)
{
	struct heap_objects *o = *state;

	assert_int_equal(heap_objects_del(o, 0, 1), 0);
	assert_alive(o, 0);
	assert_int_equal(add(o, 2), 0);
	assert_int_equal(add(o, 1), 0);
	assert_alive(o, 20);
	assert_int_equal(add(o, 1), 0);
	assert_alive(o, 30);
}

static int stop_at(void *ctx, const struct heap_object *object)
{
	return object->number == *(uint64_t *)ctx ? 77 : 0;
}

static void test_visit_stops(void **state)
{
	struct heap_objects *o = *state;
	uint64_t number = 2;

	assert_int_equal(add(o, 1), 0);
	assert_int_equal(add(o, 2), 0);
	assert_int_equal(heap_objects_visit(o, stop_at, &number), 77);
}

static int sum_stacks(void *ctx, const struct heap_object *object)
{
	*(uint64_t *)ctx += object->stack;
	return 0;
}

/* A move changes each object once. */
static void test_moves(void **state)
{
	const int64_t first[] = { 100, -1 }, second[] = { 1000 };
	const struct heap_object lost = { .number = 2, .stack = 1 }, later = { .number = 3 };
	struct heap_objects *o = *state;
	uint64_t stacks = 0;

	assert_int_equal(add(o, 1), 0);
	assert_int_equal(heap_objects_add(o, &lost), 0);
	heap_objects_move(o, first);
	assert_int_equal(heap_objects_add(o, &later), 0);
	heap_objects_move(o, second);
	assert_int_equal(heap_objects_visit(o, sum_stacks, &stacks), 0);
	assert_int_equal(stacks, 100 + 1000);
}

static void test_no_memory(void **state)
{
	struct heap_objects *o = *state;

	assert_int_equal(add(o, 1), 0);
	allocations_left = 0;
	assert_int_equal(add(o, 2), -ENOMEM);
	assert_int_equal(heap_objects_del(o, 0, 3), -ENOMEM);
	assert_int_equal(heap_objects_end_exec(o, 1), -ENOMEM);
	assert_null(heap_objects_new(MAX));
	allocations_left = -1;
	assert_alive(o, 10);
	heap_objects_free(NULL);
}

/* An object over the limit takes no room, nor does its free. */
static void test_full(void **state)
{
	struct heap_objects *o = *state;

	for (uint64_t number = 1; number <= MAX; number++)
		assert_int_equal(add(o, number), 0);
	assert_int_equal(add(o, MAX + 1), -ENOSPC);
	assert_int_equal(heap_objects_del(o, 0, MAX + 1), 0);
	assert_int_equal(heap_objects_del(o, 0, 7), 0);
	assert_int_equal(add(o, MAX + 2), 0);
	assert_int_equal(add(o, MAX + 3), -ENOSPC);
	assert_int_equal(heap_objects_del(o, 0, 9), 0);
	assert_int_equal(add(o, MAX + 3), 0);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_alive),
		WITH_SETUP(test_ended_exec_id),
		WITH_SETUP(test_late_records),
		WITH_SETUP(test_room_is_given_back),
		WITH_SETUP(test_free_before_its_sample),
		WITH_SETUP(test_visit_stops),
		WITH_SETUP(test_moves),
		WITH_SETUP(test_full),
		WITH_SETUP(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
