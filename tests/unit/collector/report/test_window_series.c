// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/window_series.c collector/aggregate/label_sets.c
// sources: collector/base/tuple_map.c collector/base/string_table.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "procfs/cgroup.h"
#include "report/window_series.h"

static struct label_sets *labels;
static struct tuple_map *stacks;

static int setup(void **state)
{
	(void)state;
	labels = labels_new(LABELS_WANT_PID | LABELS_WANT_COMM);
	stacks = tuple_map_new(10000);
	return labels && stacks ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	labels_free(labels);
	tuple_map_free(stacks);
	return 0;
}

/* Adds samples of a process. Each call is another stack. Returns the label set. */
static int64_t put(const char *comm, uint32_t pid, uint64_t count)
{
	const struct labels_values values = { .pid = pid, .comm = comm, .thread = "" };
	const uint64_t frame = tuple_map_nr(stacks);
	int64_t set = labels_intern(labels, &values);

	assert_true(set > 0);
	assert_true(tuple_map_add(stacks, set, &frame, 1, count) >= 0);
	return set;
}

static void assert_series(const struct window_series *s, int64_t set, const char *comm, pid_t pid,
			  uint64_t count)
{
	const struct window_series_item *item = &s->list.items[s->by_labels[set]];

	assert_true(s->by_labels[set] < s->list.nr);
	assert_string_equal(item->name, comm);
	assert_int_equal(item->pid, pid);
	assert_int_equal(item->count, count);
	assert_false(item->is_rest);
}

static void test_by_comm(void **state)
{
	struct window_series s = { 0 };
	int64_t a1 = put("a", 1, 10), b = put("b", 2, 20), a3 = put("a", 3, 30);

	(void)state;
	put("a", 1, 5);
	assert_int_equal(window_series_split(&s, stacks, labels, "comm", false), 0);
	assert_int_equal(s.list.nr, 2);
	assert_series(&s, a1, "a", 0, 45);
	assert_series(&s, a3, "a", 0, 45);
	assert_series(&s, b, "b", 0, 20);
	assert_int_equal(s.nr_rest + s.rest_count, 0);
	window_series_fini(&s);
}

/* A process that executes another program is another series. */
static void test_by_process(void **state)
{
	struct window_series s = { 0 };
	int64_t sh = put("sh", 1, 1), ls = put("ls", 1, 2), other = put("sh", 2, 4);

	(void)state;
	assert_int_equal(window_series_split(&s, stacks, labels, "comm", true), 0);
	assert_int_equal(s.list.nr, 3);
	assert_series(&s, sh, "sh", 1, 1);
	assert_series(&s, ls, "ls", 1, 2);
	assert_series(&s, other, "sh", 2, 4);
	window_series_fini(&s);
}

/* Two cgroups with one comm are two series. A process of an unknown cgroup is in the rest. */
static void test_by_cgroup(void **state)
{
	struct label_sets *by_cgroup = labels_new(LABELS_WANT_CGROUP);
	struct {
		struct cgroup cgroup;
		char path[8];
	} cgroups[] = { { .path = "/x/a" }, { .path = "/y/a" } };
	struct labels_values values = { .comm = "a", .thread = "" };
	struct window_series s = { 0 };
	int64_t sets[3];

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		values.cgroup = i < 2 ? &cgroups[i].cgroup : NULL;
		sets[i] = labels_intern(by_cgroup, &values);
		assert_true(tuple_map_add(stacks, sets[i], &i, 1, i + 1) >= 0);
	}
	assert_int_equal(window_series_split(&s, stacks, by_cgroup, "cgroup", false), 0);
	assert_int_equal(s.list.nr, 2);
	assert_series(&s, sets[0], "/x/a", 0, 1);
	assert_series(&s, sets[1], "/y/a", 0, 2);
	assert_int_equal(s.rest_count, 3);
	window_series_fini(&s);
	labels_free(by_cgroup);
}

/* The smallest series are in the rest, as are samples without labels. */
static void test_limit(void **state)
{
	struct window_series s = { 0 };
	int64_t first, small = 0, last = 0;
	const uint64_t frame = 0;
	char comm[16];

	(void)state;
	first = put("large", 1, 1000);
	for (int i = 0; i < WINDOW_SERIES_MAX + 9; i++) {
		snprintf(comm, sizeof(comm), "c%d", i);
		last = put(comm, 1, i == 7 ? 1 : 10 + i);
		small = i == 7 ? last : small;
	}
	tuple_map_add(stacks, 0, &frame, 1, 100);
	assert_int_equal(window_series_split(&s, stacks, labels, "comm", false), 0);
	assert_int_equal(s.nr_rest, 10);
	/* c7; c0 to c6, c8 and c9; and the sample without labels */
	assert_int_equal(s.rest_count, 1 + (10 + 19) * 10 / 2 - 17 + 100);
	assert_int_equal(s.by_labels[small], WINDOW_SERIES_REST);
	assert_int_equal(s.by_labels[0], WINDOW_SERIES_REST);
	assert_series(&s, first, "large", 0, 1000);
	assert_series(&s, last, comm, 0, 10 + WINDOW_SERIES_MAX + 8);
	window_series_fini(&s);
}

static void test_no_name(void **state)
{
	struct window_series s = { 0 };
	int64_t set = put("", 1, 7);

	(void)state;
	assert_int_equal(window_series_split(&s, stacks, labels, "comm", true), 0);
	assert_int_equal(s.by_labels[set], WINDOW_SERIES_REST);
	assert_int_equal(s.list.nr, 0);
	assert_int_equal(s.rest_count, 7);
	window_series_fini(&s);
}

static void test_nothing(void **state)
{
	struct window_series s = { 0 };

	(void)state;
	assert_int_equal(window_series_split(&s, stacks, labels, "comm", false), 0);
	assert_int_equal(s.list.nr + s.rest_count, 0);
	window_series_fini(&s);
}

static void test_every_allocation_may_fail(void **state)
{
	struct window_series s = { 0 };
	int err = -1;

	(void)state;
	put("a", 1, 10);
	for (long n = 0; err; n++) {
		allocations_left = n;
		err = window_series_split(&s, stacks, labels, "comm", true);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		window_series_fini(&s);
	}
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_by_comm),
		TEST(test_by_process),
		TEST(test_by_cgroup),
		TEST(test_limit),
		TEST(test_no_name),
		TEST(test_nothing),
		TEST(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
