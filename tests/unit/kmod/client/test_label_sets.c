// SPDX-License-Identifier: GPL-2.0
// sources: kmod/client/label_sets.c kmod/client/custom_profiles.c
// include: -Itests/unit/shim
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/nospec.h>
#include <linux/slab.h>

#include "fail_alloc.h"
#include "kmod/client/label_sets.h"
#include "kmod/base/user_quota.h"

#define FIRST	(5ULL * (PPROF_MAX_LABEL_SETS + 1))

static size_t bytes_left;
static struct pprof_label_sets labels;

bool pprof_quota_charge(struct pprof_quota *quota, size_t bytes)
{
	assert_null(quota);
	if (bytes > bytes_left)
		return false;
	bytes_left -= bytes;
	return true;
}

void pprof_quota_uncharge(struct pprof_quota *quota, size_t bytes)
{
	assert_null(quota);
	bytes_left += bytes;
}

static int nr_clamped;

u64 shim_clamp(u64 index, u64 size)
{
	assert_true(index < size);
	nr_clamped++;
	return index;
}

static int setup(void **state)
{
	(void)state;
	bytes_left = 64 << 20;
	labels = (struct pprof_label_sets) { .first = FIRST };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	allocations_left = -1;
	pprof_label_sets_fini(&labels);
	assert_int_equal(bytes_left + labels.bytes, 64 << 20);
	return 0;
}

/* The number, or a negative errno. */
static int add(int base, const char *key, const char *value)
{
	struct pprof_label label = { .size = sizeof(label), .set = base };
	int err;

	memcpy(label.key, key, strnlen(key, sizeof(label.key)));
	memcpy(label.value, value, strnlen(value, sizeof(label.value)));
	if (!pprof_label_is_valid(&label))
		return -EINVAL;
	err = pprof_label_sets_add(&labels, &label);
	return err ? err : (int)label.set;
}

static void check_text(int number, const char *text, u32 bytes)
{
	const struct pprof_label_set *set = pprof_label_sets_find(&labels, number);

	assert_non_null(set);
	assert_int_equal(set->bytes, bytes);
	assert_memory_equal(set->text, text, bytes);
	for (u32 i = bytes; i % 8; i++)
		assert_int_equal(set->text[i], 0);
	assert_int_equal(set->id & 0x7fffffff, number);
}

#define CHECK_TEXT(number, text)	check_text(number, text, sizeof(text))

static void test_sets(void **state)
{
	int reader = add(0, "role", "reader"), step = add(reader, "step", "parse");
	int first = add(step, "a", "");

	(void)state;
	assert_int_equal(reader, FIRST + 1);
	assert_int_equal(step, FIRST + 2);
	CHECK_TEXT(reader, "role\0reader");
	CHECK_TEXT(step, "role\0reader\0step\0parse");
	CHECK_TEXT(first, "a\0\0role\0reader\0step\0parse");
	CHECK_TEXT(add(first, "role", "\xff\n\""), "a\0\0role\0\xff\n\"\0step\0parse");
	CHECK_TEXT(add(first, "b", "c"), "a\0\0b\0c\0role\0reader\0step\0parse");
	assert_int_equal(add(0, "role", "reader"), reader);
	assert_int_equal(add(add(0, "step", "parse"), "role", "reader"), step);
	assert_int_equal(add(step, "role", "reader"), step);
	assert_int_equal(pprof_label_sets_find(&labels, step)->id, FIRST + 2);
}

/* A number may be anything. */
static void test_numbers(void **state)
{
	static const u32 none[] = { 0, 1, FIRST, FIRST + 2, FIRST - 1, -1, 1U << 31, 1U << 30 };

	(void)state;
	add(0, "a", "b");
	for (u32 i = 0; i < sizeof(none) / sizeof(*none); i++) {
		assert_null(pprof_label_sets_find(&labels, none[i]));
		assert_true(!none[i] || add(none[i], "c", "d") == -ENOENT);
	}
	nr_clamped = 0;
	assert_non_null(pprof_label_sets_find(&labels, FIRST + 1));
	assert_int_equal(nr_clamped, 1);
}

/* A process later than all numbers there are: none is 0, or less. */
static void test_late(void **state)
{
	(void)state;
	labels.first = (1ULL << 33) - PPROF_MAX_LABEL_SETS - 1;
	for (int i = 0; i < PPROF_MAX_LABEL_SETS; i++) {
		char value[16];
		int number;

		snprintf(value, sizeof(value), "%d", i);
		number = add(0, "a", value);
		assert_true(number > 0);
		assert_int_equal(pprof_label_sets_find(&labels, number)->id, labels.first + i + 1);
		assert_null(pprof_label_sets_find(&labels, number | 1U << 31));
	}
	assert_null(pprof_label_sets_find(&labels, -ENOSPC));	/* an error is no set */
}

static void test_bounds(void **state)
{
	char key[PPROF_LABEL_KEY_BYTES + 1] = "", value[PPROF_LABEL_VALUE_BYTES + 1] = "";
	int set = 0;

	(void)state;
	memset(key, 'k', sizeof(key) - 1);
	memset(value, 'v', sizeof(value) - 1);
	assert_int_equal(add(0, key, ""), -EINVAL);
	assert_int_equal(add(0, "key", value), -EINVAL);
	assert_int_equal(add(0, "", "v"), -EINVAL);
	assert_int_equal(add(0, "a b", "v"), -EINVAL);
	key[sizeof(key) - 2] = 0;
	value[sizeof(value) - 2] = 0;
	for (int i = 0; i < 3; i++) {
		key[0] = 'a' + i;
		set = add(set, key, value);
		assert_true(set > 0);
	}
	key[0] = 'z';
	assert_int_equal(add(set, key, value), -E2BIG);	/* of 1,280 bytes */
	for (set = 0; set >= 0 && key[0] > 'a'; key[0]--)
		set = add(set, key, "");
	assert_int_equal(set, -E2BIG);
	assert_int_equal(key[0], 'z' - PPROF_MAX_LABELS - 1);
	assert_int_equal(add(0, "k", "v"), FIRST + 3 + PPROF_MAX_LABELS + 1);
}

/* Fails if bytes after the NUL are accepted: they would not be in the text of the set. */
static void test_padding(void **state)
{
	struct pprof_label label = { .key = "k", .value = "v\0v" };

	(void)state;
	assert_false(pprof_label_is_valid(&label));
	label.value[2] = 0;
	label.key[9] = 'k';
	assert_false(pprof_label_is_valid(&label));
	label.key[9] = 0;
	assert_true(pprof_label_is_valid(&label));
}

static void test_many(void **state)
{
	char value[16];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < PPROF_MAX_LABEL_SETS; i++) {
			snprintf(value, sizeof(value), "%d", i);
			assert_int_equal(add(0, "a", value), FIRST + 1 + i);
		}
	}
	assert_int_equal(add(0, "a", "one more"), -ENOSPC);
	CHECK_TEXT(FIRST + 1 + 1234, "a\0" "1234");
}

static void test_quota(void **state)
{
	size_t before;

	(void)state;
	assert_true(add(0, "a", "b") > 0);
	assert_int_equal(labels.bytes, kmalloc_size_roundup(labels.bytes));
	before = bytes_left;
	bytes_left = 10;
	assert_int_equal(add(0, "a", "c"), -ENOSPC);
	bytes_left = before;
	assert_true(add(0, "a", "b") > 0);
	assert_int_equal(bytes_left, before);	/* an equal one costs nothing */
}

static void test_every_allocation_may_fail(void **state)
{
	int number = -1, nr_failures = 0;

	(void)state;
	for (long n = 0; number < 0; n++) {
		allocations_left = n;
		number = add(0, "a", "b");
		allocations_left = -1;
		assert_true(number == FIRST + 1 || number == -ENOMEM);
		nr_failures += number < 0;
	}
	assert_int_equal(nr_failures, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_padding, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_quota, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
