// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/interval_set.c
// libs:
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/interval_set.h"

static void ready(struct interval_set *s)
{
	interval_set_sort(s);
	interval_set_index(s);
}

/* The ids of the ranges that cover addr, in the order found; -1 is the end. */
static void expect(const struct interval_set *s, uint64_t addr, const int *ids)
{
	const struct interval *v = NULL;

	while ((v = interval_set_find(s, addr, v)))
		assert_int_equal(v->id, *ids++);
	assert_int_equal(*ids, -1);
}

static void empty(void **state)
{
	struct interval_set s = { 0 };

	(void)state;
	ready(&s);
	assert_null(interval_set_find(&s, 0, NULL));
	assert_int_equal(interval_set_add(&s, 5, 5, 1), 0);
	assert_int_equal(interval_set_add(&s, 5, 4, 1), 0);
	assert_int_equal(s.nr, 0);
	interval_set_fini(&s);
}

static void innermost_first(void **state)
{
	struct interval_set s = { 0 };

	(void)state;
	interval_set_add(&s, 40, 50, 4);
	interval_set_add(&s, 10, 20, 2);
	interval_set_add(&s, 10, 15, 7);
	interval_set_add(&s, 10, 20, 1);
	interval_set_add(&s, 0, 30, 3);
	ready(&s);
	expect(&s, 9, (int[]){ 3, -1 });
	expect(&s, 10, (int[]){ 7, 1, 2, 3, -1 });
	expect(&s, 15, (int[]){ 1, 2, 3, -1 });
	expect(&s, 20, (int[]){ 3, -1 });
	expect(&s, 30, (int[]){ -1 });
	expect(&s, 49, (int[]){ 4, -1 });
	expect(&s, 50, (int[]){ -1 });
	interval_set_fini(&s);
}

static void far_ends(void **state)
{
	struct interval_set s = { 0 };

	(void)state;
	interval_set_add(&s, 0, UINT64_MAX, 1);
	interval_set_add(&s, UINT64_MAX - 1, UINT64_MAX, 2);
	ready(&s);
	expect(&s, UINT32_MAX - 1, (int[]){ 1, -1 });
	expect(&s, UINT32_MAX, (int[]){ -1 });
	expect(&s, UINT64_MAX - 1, (int[]){ 2, -1 });
	expect(&s, UINT64_MAX, (int[]){ -1 });
	interval_set_fini(&s);
}

/* Compares with a linear search. */
static void many(void **state)
{
	enum { NR = 500, ADDRS = 2000 };
	unsigned int seed = 1, start[NR], end[NR];
	struct interval_set s = { 0 };

	(void)state;
	for (int i = 0; i < NR; i++) {
		start[i] = rand_r(&seed) % ADDRS;
		end[i] = start[i] + 1 + rand_r(&seed) % (i % 10 ? 10 : 500);
		assert_int_equal(interval_set_add(&s, start[i], end[i], i), 0);
	}
	ready(&s);
	for (uint64_t addr = 0; addr < ADDRS + 600; addr++) {
		const struct interval *v = NULL;
		int nr = 0;

		for (int i = 0; i < NR; i++)
			nr += start[i] <= addr && addr < end[i];
		for (; (v = interval_set_find(&s, addr, v)); nr--)
			assert_true(start[v->id] <= addr && addr < end[v->id]);
		assert_int_equal(nr, 0);
	}
	interval_set_fini(&s);
}

/* Does a range begin or end between two addresses? */
static bool is_split(const struct interval_set *s, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < s->nr; i++) {
		uint64_t start = s->v[i].start, end = start + s->v[i].nr_bytes;

		if ((low < start && start <= high) || (low < end && end <= high))
			return true;
	}
	return false;
}

/* The span has all addresses that the same ranges cover, and no other. */
static void narrow(void **state)
{
	enum { NR = 200, ADDRS = 4000 };
	unsigned int seed = 1;
	struct interval_set s = { 0 };

	(void)state;
	for (int i = 0; i < NR; i++) {
		uint64_t start = 10 + rand_r(&seed) % ADDRS;

		interval_set_add(&s, start, start + 1 + rand_r(&seed) % (i % 10 ? 20 : 300), i);
	}
	ready(&s);
	for (uint64_t addr = 0; addr < ADDRS + 400; addr++) {
		struct code_span span = CODE_SPAN_ALL;

		interval_set_narrow(&s, addr, &span);
		if (span.before <= addr) {
			assert_false(is_split(&s, addr - span.before, addr));
			assert_true(is_split(&s, addr - span.before - 1, addr));
		}
		if (span.after == UINT64_MAX)
			continue;
		assert_false(is_split(&s, addr, addr + span.after - 1));
		assert_true(is_split(&s, addr, addr + span.after));
	}
	interval_set_fini(&s);
}

/* A span that was narrow before stays so. Without a limit of its steps this would take for ever. */
static void narrow_among_many(void **state)
{
	struct code_span span = { 3, 5 };
	struct interval_set s = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 100000; i++)
		interval_set_add(&s, i, 1000000, i);
	ready(&s);
	interval_set_narrow(&s, 200000, &span);
	assert_int_equal(span.before, 0);
	assert_int_equal(span.after, 1);
	interval_set_fini(&s);
	span = (struct code_span){ 3, 5 };
	interval_set_narrow(&s, 7, &span);
	assert_int_equal(span.before, 3);
	assert_int_equal(span.after, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(innermost_first),
		cmocka_unit_test(far_ends),
		cmocka_unit_test(narrow),
		cmocka_unit_test(narrow_among_many),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
