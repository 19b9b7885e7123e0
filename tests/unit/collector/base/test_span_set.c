// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/span_set.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/span_set.h"
#include "fail_alloc.h"

static int setup(void **state)
{
	static struct span_set s;

	*state = &s;
	return span_set_init(&s, sizeof(uint32_t));
}

static int teardown(void **state)
{
	span_set_fini(*state);
	return 0;
}

static void test_the_empty_span_is_the_first(void **state)
{
	struct span_set *s = *state;

	assert_int_equal(s->nr, 1);
	assert_int_equal(span_set_len(s, 0), 0);
	assert_int_equal(span_set_add(s, NULL, 0), 0);
	assert_int_equal(s->nr, 1);
}

static void test_equal_spans_are_one(void **state)
{
	static const uint32_t items[] = { 1, 2, 3, 1, 2 };
	struct span_set *s = *state;

	assert_int_equal(span_set_add(s, items, 3), 1);
	assert_int_equal(span_set_add(s, items, 2), 2);
	assert_int_equal(span_set_add(s, items + 3, 2), 2);
	assert_int_equal(span_set_add(s, items + 1, 3), 3);
	assert_int_equal(span_set_add(s, items, 3), 1);
	assert_int_equal(span_set_len(s, 3), 3);
	assert_memory_equal(span_set_at(s, 3), items + 1, 3 * sizeof(*items));
	assert_int_equal(span_set_nr_items(s), 8);
}

static void test_a_span_that_is_in_the_room(void **state)
{
	struct span_set *s = *state;
	uint32_t *room = span_set_reserve(s, 2), item = 8;

	room[0] = 7;
	room[1] = 8;
	assert_int_equal(span_set_take(s, 2), 1);
	assert_int_equal(span_set_add(s, &item, 1), 2);
	room = span_set_reserve(s, 2);
	room[0] = 7;
	room[1] = 8;
	assert_int_equal(span_set_take(s, 2), 1);
	assert_int_equal(span_set_nr_items(s), 3);
}

/* Spans are found again after the index was freed. */
static void test_the_index_is_built_again(void **state)
{
	struct span_set *s = *state;

	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(span_set_add(s, (uint32_t[]){ i, i / 2, 5 }, i % 3 + 1), i + 1);
	span_set_trim(s);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(span_set_add(s, (uint32_t[]){ i, i / 2, 5 }, i % 3 + 1), i + 1);
	assert_int_equal(s->nr, 5001);
}

static int push(struct span_set *s, struct span_batch *batch, const uint32_t *items, size_t nr)
{
	uint32_t *room = span_set_reserve(s, batch->nr_items + nr);

	if (!room)
		return -ENOMEM;
	memcpy(room + batch->nr_items, items, nr * sizeof(*items));
	span_set_push(batch, nr);
	return 0;
}

/* New spans follow spans that are in the set already, or earlier in the batch. */
static void test_a_batch(void **state)
{
	static const uint32_t items[] = { 1, 2, 3, 4, 5, 6 };
	static const struct {
		uint32_t from, nr, id;
	} spans[] = {
		{ 0, 2, 1 }, { 1, 3, 2 }, { 0, 2, 1 }, { 2, 2, 3 }, { 2, 2, 3 }, { 0, 0, 0 },
		{ 3, 3, 4 }, { 0, 6, 5 },
	};
	struct span_set *s = *state;
	struct span_batch batch = { 0 };

	assert_int_equal(span_set_add(s, items, 2), 1);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 8; i++)
			assert_int_equal(push(s, &batch, items + spans[i].from, spans[i].nr), 0);
		assert_int_equal(span_set_take_batch(s, &batch), 0);
		assert_true(!batch.nr && !batch.nr_items);
		for (size_t i = 0; i < 8; i++) {
			assert_int_equal(batch.id[i], spans[i].id);
			assert_int_equal(span_set_len(s, spans[i].id), spans[i].nr);
			assert_memory_equal(span_set_at(s, spans[i].id), items + spans[i].from,
					    spans[i].nr * sizeof(*items));
		}
		span_set_trim(s);
	}
	assert_int_equal(s->nr, 6);
}

/* In a batch, many look-ups end in one free slot. Only the first span may take it. */
static void test_batches_that_fill_the_index(void **state)
{
	struct span_set *s = *state;
	struct span_batch batch = { 0 };

	for (uint32_t i = 0; i < 64 * SPAN_BATCH_MAX; i++) {
		assert_int_equal(push(s, &batch, &i, 1), 0);
		if (batch.nr == SPAN_BATCH_MAX)
			assert_int_equal(span_set_take_batch(s, &batch), 0);
	}
	for (uint32_t i = 0; i < 64 * SPAN_BATCH_MAX; i++)
		assert_int_equal(span_set_add(s, &i, 1), i + 1);
}

static int build(struct span_set *s)
{
	int64_t id = span_set_init(s, sizeof(uint32_t));
	struct span_batch batch = { 0 };

	for (uint32_t i = 0; id >= 0 && i < 400; i++)
		id = span_set_add(s, (uint32_t[]){ i, i }, 2);
	for (uint32_t i = 0; id >= 0 && i < 400; i++) {
		id = push(s, &batch, (uint32_t[]){ i, i + 1 }, 2);
		if (id >= 0 && batch.nr == SPAN_BATCH_MAX)
			id = span_set_take_batch(s, &batch);
	}
	span_set_fini(s);
	return id < 0 ? id : 0;
}

static void test_every_allocation_may_fail(void **state)
{
	struct span_set s;
	int err = -ENOMEM;
	long n;

	(void)state;
	for (n = 0; err && n < 100; n++) {
		allocations_left = n;
		err = build(&s);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	}
	assert_int_equal(err, 0);
	assert_true(n > 5);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_the_empty_span_is_the_first),
		WITH_SETUP(test_equal_spans_are_one),
		WITH_SETUP(test_a_span_that_is_in_the_room),
		WITH_SETUP(test_a_batch),
		WITH_SETUP(test_batches_that_fill_the_index),
		WITH_SETUP(test_the_index_is_built_again),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
