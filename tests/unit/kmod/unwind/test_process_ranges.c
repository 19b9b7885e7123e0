// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/process_ranges.c
// include: -Itests/unit/shim
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/uaccess.h>

#include "kmod/unwind/process_ranges.h"

#define MAX_RANGES	40

static const struct pprof_table some_table;

static struct pprof_space *new_space(void)
{
	size_t bytes = sizeof(struct pprof_space) + MAX_RANGES * sizeof(struct pprof_space_range);
	struct pprof_space *space = malloc(bytes);

	assert_non_null(space);
	memset(space, 0xa5, bytes);	/* it may have been another's before */
	space->nr_ranges = 0;
	return space;
}

static int add(struct pprof_space *space, u64 start, u64 end)
{
	const struct pprof_range range = { .start = start, .end = end, .bias = start + 5 };

	return pprof_space_add(space, &range, &some_table);
}

static void test_empty(void **state)
{
	struct pprof_space *space = calloc(1, sizeof(*space));	/* no room for any */

	(void)state;
	assert_null(pprof_space_find(space, 0));
	assert_null(pprof_space_find(space, 4096));
	free(space);
}

static void test_what_is_added(void **state)
{
	struct pprof_space *space = new_space();
	const struct pprof_space_range *range = space->ranges;

	(void)state;
	assert_int_equal(add(space, 4096, 8192), 0);
	assert_int_equal(space->nr_ranges, 1);
	assert_true(range->start == 4096 && range->end == 8192 && range->bias == 4101);
	assert_ptr_equal(range->table, &some_table);
	assert_ptr_equal(pprof_space_find(space, 4096), range);
	assert_ptr_equal(pprof_space_find(space, 8191), range);
	assert_null(pprof_space_find(space, 4095));
	assert_null(pprof_space_find(space, 8192));
	assert_null(pprof_space_find(space, UINT64_MAX));
	free(space);
}

/* Any number of them, with gaps and without. */
static void test_find(void **state)
{
	(void)state;
	for (u32 nr = 1; nr <= MAX_RANGES; nr++) {
		struct pprof_space *space = new_space();

		for (u32 i = 0; i < nr; i++)
			assert_int_equal(add(space, 100 * i + 10, 100 * i + (i % 3 ? 60 : 110)), 0);
		for (u64 at = 0; at < 100 * nr + 200; at++) {
			const struct pprof_space_range *range = pprof_space_find(space, at);
			u64 i = (at - 10) / 100;
			bool has = at >= 10 && i < nr && (at - 10) % 100 < (i % 3 ? 50 : 100);

			assert_ptr_equal(range, has ? &space->ranges[i] : NULL);
		}
		free(space);
	}
}

static void test_what_is_refused(void **state)
{
	const struct pprof_range padded = { .start = 20480, .end = 24576, .pad = 1 };
	struct pprof_space *space = new_space();

	(void)state;
	assert_int_equal(add(space, 8192, 12288), 0);
	assert_int_equal(add(space, 4096, 8192), -EINVAL);
	assert_int_equal(add(space, 8192, 12288), -EINVAL);
	assert_int_equal(add(space, 12287, 16384), -EINVAL);
	assert_int_equal(add(space, 16384, 16384), -EINVAL);
	assert_int_equal(add(space, 16384, 16383), -EINVAL);
	assert_int_equal(add(space, 16384, TASK_SIZE_MAX + 1), -EINVAL);
	assert_int_equal(add(space, TASK_SIZE_MAX, UINT64_MAX), -EINVAL);
	assert_int_equal(add(space, 16384, 0), -EINVAL);
	assert_int_equal(pprof_space_add(space, &padded, NULL), -EINVAL);
	assert_int_equal(space->nr_ranges, 1);
	assert_int_equal(add(space, 12288, TASK_SIZE_MAX), 0);
	free(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_what_is_added),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
