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

static struct pprof_process_ranges *new_space(void)
{
	size_t bytes = sizeof(struct pprof_process_ranges) +
		       MAX_RANGES * sizeof(struct pprof_process_range);
	struct pprof_process_ranges *process = malloc(bytes);

	assert_non_null(process);
	memset(process, 0xa5, bytes);	/* it may have been another's before */
	process->nr_ranges = 0;
	return process;
}

static int add(struct pprof_process_ranges *process, u64 start, u64 end)
{
	const struct pprof_range range = { .start = start, .end = end, .bias = start + 5 };

	return pprof_process_ranges_add(process, &range, &some_table);
}

static void test_empty(void **state)
{
	struct pprof_process_ranges *process = calloc(1, sizeof(*process)); /* no room for any */

	(void)state;
	assert_null(pprof_process_ranges_find(process, 0));
	assert_null(pprof_process_ranges_find(process, 4096));
	free(process);
}

static void test_what_is_added(void **state)
{
	struct pprof_process_ranges *process = new_space();
	const struct pprof_process_range *range = process->ranges;

	(void)state;
	assert_int_equal(add(process, 4096, 8192), 0);
	assert_int_equal(process->nr_ranges, 1);
	assert_true(range->start == 4096 && range->end == 8192 && range->bias == 4101);
	assert_ptr_equal(range->table, &some_table);
	assert_ptr_equal(pprof_process_ranges_find(process, 4096), range);
	assert_ptr_equal(pprof_process_ranges_find(process, 8191), range);
	assert_null(pprof_process_ranges_find(process, 4095));
	assert_null(pprof_process_ranges_find(process, 8192));
	assert_null(pprof_process_ranges_find(process, UINT64_MAX));
	free(process);
}

/* Any number of them, with gaps and without. */
static void test_find(void **state)
{
	(void)state;
	for (u32 nr = 1; nr <= MAX_RANGES; nr++) {
		struct pprof_process_ranges *process = new_space();

		for (u32 i = 0; i < nr; i++)
			assert_int_equal(add(process, 100 * i + 10, 100 * i + (i % 3 ? 60 : 110)),
					 0);
		for (u64 at = 0; at < 100 * nr + 200; at++) {
			const struct pprof_process_range *range =
				pprof_process_ranges_find(process, at);
			u64 i = (at - 10) / 100;
			bool has = at >= 10 && i < nr && (at - 10) % 100 < (i % 3 ? 50 : 100);

			assert_ptr_equal(range, has ? &process->ranges[i] : NULL);
		}
		free(process);
	}
}

static void test_what_is_refused(void **state)
{
	const struct pprof_range padded = { .start = 20480, .end = 24576, .pad = 1 };
	struct pprof_process_ranges *process = new_space();

	(void)state;
	assert_int_equal(add(process, 8192, 12288), 0);
	assert_int_equal(add(process, 4096, 8192), -EINVAL);
	assert_int_equal(add(process, 8192, 12288), -EINVAL);
	assert_int_equal(add(process, 12287, 16384), -EINVAL);
	assert_int_equal(add(process, 16384, 16384), -EINVAL);
	assert_int_equal(add(process, 16384, 16383), -EINVAL);
	assert_int_equal(add(process, 16384, TASK_SIZE_MAX + 1), -EINVAL);
	assert_int_equal(add(process, TASK_SIZE_MAX, UINT64_MAX), -EINVAL);
	assert_int_equal(add(process, 16384, 0), -EINVAL);
	assert_int_equal(pprof_process_ranges_add(process, &padded, NULL), -EINVAL);
	assert_int_equal(process->nr_ranges, 1);
	assert_int_equal(add(process, 12288, TASK_SIZE_MAX), 0);
	free(process);
}

/* Fails if a cut leaves a byte of it, takes a byte of others, or changes what has no room. */
static void test_cuts(void **state)
{
	struct pprof_process_range cut = { .bias = 7 }, ranges[6], before[6];

	(void)state;
	for (u64 start = 0; start < 60; start++) {
		for (u64 end = start + 1; end <= 60; end++) {
			for (int add = 0; add < 2; add++) {
				struct pprof_range_list list = { ranges, 3, 4 + (start % 2) };
				u8 bytes[60] = { 0 }, want[60] = { 0 };
				bool done;

				for (u64 i = 0; i < 3; i++)
					ranges[i] = (struct pprof_process_range) {
						.start = 20 * i + 5, .end = 20 * i + 20, .bias = i,
					};
				memcpy(before, ranges, sizeof(ranges));
				cut.start = start;
				cut.end = end;
				done = pprof_range_list_cut(&list, &cut, add);
				if (!done) {
					assert_true(start % 2 == 0 && list.nr == 3);
					assert_memory_equal(ranges, before, 3 * sizeof(*ranges));
					continue;
				}
				assert_true(list.nr <= list.room);
				for (u64 at = 0; at < 60; at++) {
					if (at % 20 >= 5)
						want[at] = at / 20 + 1;
					if (at >= start && at < end)
						want[at] = add ? 8 : 0;
				}
				for (u32 i = 0; i < list.nr; i++) {
					assert_true(ranges[i].start < ranges[i].end);
					assert_true(!i || ranges[i - 1].end <= ranges[i].start);
					memset(bytes + ranges[i].start, ranges[i].bias + 1,
					       ranges[i].end - ranges[i].start);
				}
				assert_memory_equal(bytes, want, sizeof(bytes));
			}
		}
	}
}

static void test_what_a_list_has(void **state)
{
	struct pprof_process_range ranges[] = {
		{ 10, 20, 1, &some_table }, { 20, 30, 2, NULL },
	};
	const struct pprof_range_list list = { ranges, 2, 2 };

	(void)state;
#define HAS(...) pprof_range_list_has(&list, &(struct pprof_process_range) { __VA_ARGS__ })
	assert_true(HAS(10, 20, 1, &some_table));
	assert_true(HAS(12, 18, 1, &some_table));
	assert_false(HAS(9, 20, 1, &some_table));
	assert_false(HAS(10, 21, 1, &some_table));
	assert_false(HAS(10, 20, 2, &some_table));
	assert_false(HAS(10, 20, 1, NULL));
	assert_true(HAS(20, 30, 9, NULL));
	assert_false(HAS(40, 50, 1, &some_table));
	assert_int_equal(pprof_range_list_bytes(&list), 20);
}

static void test_tls_addresses(void **state)
{
	static const struct {
		struct pprof_tls_address tls;
		bool is_valid;
	} cases[] = {
		{ { PPROF_TLS_NONE, 0, 0, 0 }, true },
		{ { PPROF_TLS_NONE, 1, 0, 0 }, false },
		{ { PPROF_TLS_NONE, 0, 0, 8 }, false },
		{ { PPROF_TLS_STATIC, 0, 0, -8 }, true },
		{ { PPROF_TLS_STATIC, 0, 0, -PPROF_MAX_TLS_OFFSET }, true },
		{ { PPROF_TLS_STATIC, 0, 0, -PPROF_MAX_TLS_OFFSET - 8 }, false },
		{ { PPROF_TLS_STATIC, 0, 0, 0 }, false },
		{ { PPROF_TLS_STATIC, 0, 0, 8 }, false },
		{ { PPROF_TLS_STATIC, 0, 0, -4 }, false },
		{ { PPROF_TLS_STATIC, 0, 0, INT64_MIN }, false },
		{ { PPROF_TLS_STATIC, 1, 0, -8 }, false },
		{ { PPROF_TLS_DTV_GLIBC, 1, 0, 0 }, true },
		{ { PPROF_TLS_DTV_MUSL, PPROF_MAX_TLS_MODULE, 0, PPROF_MAX_TLS_OFFSET - 8 }, true },
		{ { PPROF_TLS_STATIC, 0, PPROF_CONTEXT_LABELS, -8 }, true },
		{ { PPROF_TLS_STATIC, 0, PPROF_NR_CONTEXTS, -8 }, false },
		{ { PPROF_TLS_NONE, 0, PPROF_CONTEXT_LABELS, 0 }, false },
		{ { PPROF_TLS_DTV_GLIBC, 0, 0, 0 }, false },
		{ { PPROF_TLS_DTV_GLIBC, 1, 0, PPROF_MAX_TLS_OFFSET }, false },
		{ { PPROF_TLS_DTV_GLIBC, 1, 0, INT64_MAX - 7 }, false },
		{ { PPROF_TLS_DTV_GLIBC, 1, 0, -8 }, false },
		{ { PPROF_TLS_DTV_GLIBC, 1, 0, 4 }, false },
		{ { PPROF_NR_TLS, 1, 0, 0 }, false },
		{ { UINT32_MAX, 0, 0, -8 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(pprof_tls_address_is_valid(&cases[i].tls), cases[i].is_valid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_what_is_added),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_what_a_list_has),
		cmocka_unit_test(test_tls_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
