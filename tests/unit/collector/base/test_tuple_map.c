// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/tuple_map.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "base/tuple_map.h"

#define NR_MANY	100000

static int setup(void **state)
{
	*state = tuple_map_new(SIZE_MAX);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	tuple_map_free(*state);
	return 0;
}

/* Makes stack i. No two stacks are equal; depths go from 1 to 40. */
static uint32_t make_stack(uint64_t *frames, uint32_t i)
{
	uint32_t j, nr = 1 + i % 40;

	for (j = 0; j < nr; j++)
		frames[j] = 0x400000 + j;
	frames[nr / 2] += (uint64_t)i << 4;
	return nr;
}

static int64_t add_number(struct tuple_map *s, uint32_t i, uint64_t count)
{
	uint64_t frames[40];

	return tuple_map_add(s, i & 1, frames, make_stack(frames, i), count);
}

static void assert_number(const struct tuple *st, uint32_t i, uint64_t count)
{
	uint64_t frames[40];

	assert_int_equal(st->nr_frames, make_stack(frames, i));
	assert_memory_equal(st->frames, frames, st->nr_frames * sizeof(*frames));
	assert_int_equal(st->tag, i & 1);
	assert_int_equal(st->count, count);
}

static void test_equal_stacks_are_counted_in_one(void **state)
{
	uint64_t frames[] = { 1, 2, 3 }, other[] = { 1, 2, 4 };

	assert_int_equal(tuple_map_add(*state, 7, frames, 3, 1), 0);
	assert_int_equal(tuple_map_add(*state, 7, other, 3, 10), 1);
	assert_int_equal(tuple_map_add(*state, 7, frames, 3, 5), 0);
	assert_int_equal(tuple_map_nr(*state), 2);
	assert_int_equal(tuple_map_at(*state, 0)->count, 6);
	assert_int_equal(tuple_map_at(*state, 1)->count, 10);
	assert_int_equal(tuple_map_at(*state, 0)->tag, 7);
	assert_memory_equal(tuple_map_at(*state, 1)->frames, other, sizeof(other));
}

static void test_depth_is_part_of_the_key(void **state)
{
	uint64_t frames[] = { 1, 0, 0 };

	assert_int_equal(tuple_map_add(*state, 0, frames, 1, 1), 0);
	assert_int_equal(tuple_map_add(*state, 0, frames, 2, 1), 1);
	assert_int_equal(tuple_map_add(*state, 0, frames, 3, 1), 2);
	assert_int_equal(tuple_map_at(*state, 1)->nr_frames, 2);
}

static void test_tags_are_told_apart_by_every_bit(void **state)
{
	uint64_t frames[] = { 1, 2 };
	int bit;

	assert_int_equal(tuple_map_add(*state, 0, frames, 2, 1), 0);
	for (bit = 0; bit < 64; bit++)
		assert_int_equal(tuple_map_add(*state, 1ULL << bit, frames, 2, 1), bit + 1);
	for (bit = 0; bit < 64; bit++)
		assert_int_equal(tuple_map_add(*state, 1ULL << bit, frames, 2, 1), bit + 1);
	assert_int_equal(tuple_map_at(*state, 64)->tag, 1ULL << 63);
}

static void test_no_frames_are_a_stack_too(void **state)
{
	assert_int_equal(tuple_map_add(*state, 1, NULL, 0, 1), 0);
	assert_int_equal(tuple_map_add(*state, 2, NULL, 0, 1), 1);
	assert_int_equal(tuple_map_add(*state, 1, NULL, 0, 1), 0);
	assert_int_equal(tuple_map_at(*state, 0)->count, 2);
	assert_int_equal(tuple_map_at(*state, 0)->nr_frames, 0);
}

static void test_frames_are_copied(void **state)
{
	uint64_t frames[] = { 1, 2 };

	tuple_map_add(*state, 0, frames, 2, 1);
	frames[1] = 3;
	assert_int_equal(tuple_map_at(*state, 0)->frames[1], 2);
	assert_int_equal(tuple_map_add(*state, 0, frames, 2, 1), 1);
}

static void test_found_or_not(void **state)
{
	const uint64_t frames[] = { 1, 2, 3 };

	assert_int_equal(tuple_map_find(*state, 7, frames, 3), -ENOENT);
	tuple_map_add(*state, 7, frames, 2, 1);
	assert_int_equal(tuple_map_add(*state, 7, frames, 3, 1), 1);
	assert_int_equal(tuple_map_find(*state, 7, frames, 3), 1);
	assert_int_equal(tuple_map_find(*state, 8, frames, 3), -ENOENT);
	assert_int_equal(tuple_map_at(*state, 1)->count, 1);
}

static void test_over_max_only_known_stacks_are_counted(void **state)
{
	struct tuple_map *s = tuple_map_new(2);
	uint64_t frames[] = { 1, 2, 3 };

	(void)state;
	assert_int_equal(tuple_map_add(s, 0, frames, 1, 1), 0);
	assert_int_equal(tuple_map_add(s, 0, frames, 2, 1), 1);
	assert_int_equal(tuple_map_add(s, 0, frames, 3, 1), -ENOSPC);
	assert_int_equal(tuple_map_add(s, 0, frames, 2, 1), 1);
	assert_int_equal(tuple_map_nr(s), 2);
	assert_int_equal(tuple_map_at(s, 1)->count, 2);
	tuple_map_free(s);
}

static void test_many_keep_id_count_and_address(void **state)
{
	const struct tuple **address = calloc(NR_MANY, sizeof(*address));
	uint32_t i;

	assert_non_null(address);
	for (i = 0; i < NR_MANY; i++) {
		assert_int_equal(add_number(*state, i, 1), i);
		address[i] = tuple_map_at(*state, i);
	}
	for (i = NR_MANY; i--;)
		assert_int_equal(add_number(*state, i, i), i);
	assert_int_equal(tuple_map_nr(*state), NR_MANY);
	for (i = 0; i < NR_MANY; i++) {
		assert_ptr_equal(tuple_map_at(*state, i), address[i]);
		assert_number(address[i], i, 1 + (uint64_t)i);
	}
	free(address);
}

/* With this many stacks 32-bit hashes collide: about ten times, by the birthday paradox. */
static void test_equal_hashes_are_told_apart(void **state)
{
	uint64_t i, frame = 0, tag = 1;

	for (i = 0; i < 300000; i++)
		assert_int_equal(tuple_map_add(*state, 0, &i, 1, 1), i);
	for (; i < 600000; i++) {
		tag = tag * 6364136223846793005 + 1442695040888963407;
		assert_int_equal(tuple_map_add(*state, tag, &frame, 1, 1), i);
	}
}

static void test_deepest_stack(void **state)
{
	uint32_t nr = 100000;
	uint64_t *frames = calloc(nr, sizeof(*frames));

	assert_non_null(frames);
	assert_int_equal(tuple_map_add(*state, 0, frames, nr, 1), 0);
	frames[nr - 1] = 1;
	assert_int_equal(tuple_map_add(*state, 0, frames, nr, 1), 1);
	assert_int_equal(tuple_map_add(*state, 0, frames, 1, 1), 2);
	assert_memory_equal(tuple_map_at(*state, 1)->frames, frames, nr * sizeof(*frames));
	/* no chunk that the arena kept is large enough for another one */
	tuple_map_clear(*state);
	tuple_map_add(*state, 0, frames, 1, 1);
	tuple_map_clear(*state);
	assert_int_equal(tuple_map_add(*state, 0, frames, nr, 1), 0);
	assert_memory_equal(tuple_map_at(*state, 0)->frames, frames, nr * sizeof(*frames));
	free(frames);
}

/* After a burst the map frees memory. */
static void test_clear_forgets_all(void **state)
{
	static const uint32_t rounds[] = { 10, NR_MANY, 10, 30000, 0, 1 };
	uint32_t i, r;

	for (r = 0; r < sizeof(rounds) / sizeof(*rounds); r++) {
		for (i = 0; i < rounds[r]; i++)
			assert_int_equal(add_number(*state, i + r, 1), i);
		for (i = 0; i < rounds[r]; i++)
			assert_number(tuple_map_at(*state, i), i + r, 1);
		tuple_map_clear(*state);
		assert_int_equal(tuple_map_nr(*state), 0);
	}
}

/* A second round of the same size needs no more memory. */
static void test_clear_keeps_memory(void **state)
{
	uint32_t i;

	for (i = 0; i < 10000; i++)
		assert_int_equal(add_number(*state, i, 1), i);
	tuple_map_clear(*state);
	allocations_left = 0;
	for (i = 0; i < 10000 && add_number(*state, i, 1) == i; i++)
		;
	allocations_left = -1;
	assert_int_equal(i, 10000);
}

/* Each addition is tried with one failing allocation after the other, until it succeeds. */
static void test_without_memory_nothing_changes(void **state)
{
	uint32_t i, nr_failures = 0;
	int64_t id;
	long n;

	for (i = 0; i < 5000; i++) {
		for (n = 0; ; n++) {
			allocations_left = n;
			id = add_number(*state, i, 1);
			allocations_left = -1;
			if (id >= 0)
				break;
			nr_failures++;
			assert_int_equal(id, -ENOMEM);
			assert_int_equal(tuple_map_nr(*state), i);
		}
		assert_int_equal(id, i);
	}
	for (i = 0; i < 5000; i++)
		assert_number(tuple_map_at(*state, i), i, 1);
	/* arrays, tables and chunks each failed several times */
	assert_true(nr_failures > 20);
}

static void test_new_without_memory(void **state)
{
	long n;

	(void)state;
	for (n = 0; n < 2; n++) {
		struct tuple_map *s;

		allocations_left = n;
		errno = 0;
		s = tuple_map_new(1);
		allocations_left = -1;
		assert_null(s);
		assert_int_equal(errno, ENOMEM);
	}
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_equal_stacks_are_counted_in_one),
		WITH_SETUP(test_depth_is_part_of_the_key),
		WITH_SETUP(test_tags_are_told_apart_by_every_bit),
		WITH_SETUP(test_no_frames_are_a_stack_too),
		WITH_SETUP(test_frames_are_copied),
		WITH_SETUP(test_found_or_not),
		cmocka_unit_test(test_over_max_only_known_stacks_are_counted),
		WITH_SETUP(test_many_keep_id_count_and_address),
		WITH_SETUP(test_equal_hashes_are_told_apart),
		WITH_SETUP(test_deepest_stack),
		WITH_SETUP(test_clear_forgets_all),
		WITH_SETUP(test_clear_keeps_memory),
		WITH_SETUP(test_without_memory_nothing_changes),
		cmocka_unit_test(test_new_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
