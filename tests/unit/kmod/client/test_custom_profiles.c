// SPDX-License-Identifier: GPL-2.0
// sources: kmod/client/custom_profiles.c collector/cli/keywords.c
// include: -Itests/unit/shim
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/err.h>
#include <linux/hash.h>

#include "fail_alloc.h"
#include "kmod/client/custom_profiles.h"
#include "kmod/base/user_quota.h"
#include "cli/keywords.h"

static size_t bytes_taken, bytes_left = -1;
static struct pprof_custom_profiles customs;

bool pprof_quota_charge(struct pprof_quota *quota, size_t bytes)
{
	assert_null(quota);
	if (bytes > bytes_left)
		return false;
	bytes_left -= bytes;
	bytes_taken += bytes;
	return true;
}

void pprof_quota_uncharge(struct pprof_quota *quota, size_t bytes)
{
	assert_null(quota);
	assert_true(bytes <= bytes_taken);
	bytes_left += bytes;
	bytes_taken -= bytes;
}

static int teardown(void **state)
{
	(void)state;
	allocations_left = -1;
	bytes_left = -1 - bytes_taken;
	pprof_custom_clear(&customs);
	assert_int_equal(bytes_taken, 0);
	return 0;
}

static const u8 *named(const char *text)
{
	static u8 name[PPROF_CUSTOM_NAME_BYTES];

	memset(name, 0, sizeof(name));
	memcpy(name, text, strlen(text));
	return name;
}

static int add(u32 profile, u64 value, u32 nr_frames)
{
	struct pprof_custom_entry *entry = pprof_custom_alloc(NULL, nr_frames);
	int err;

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	entry->value.value = value;
	for (u32 i = 0; i < nr_frames; i++)
		entry->value.frames[i] = value + i;
	err = pprof_custom_add(&customs, profile, entry);
	if (err)
		pprof_custom_free(NULL, entry);
	return err;
}

static void test_names(void **state)
{
	static const char *const good[] = { "a", "net/http.conns", "gr\xc3\xbc\xc3\x9f" "e",
					    "\xf0\x9f\x8e\x89", "\xef\xbf\xb8", "!", "~" };
	static const char *const bad[] = {
		"", " ", "a ", "\t", "a\"b", "a,b", "a\\b", "\x7f", "\x80", "\xbf", "\xc3", "\xc3z",
		"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80",
		"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xc2\x80", "\xc2\xa0", "\xc2\xad",
		"\xe2\x80\x83", "\xe2\x80\xae", "\xe3\x80\x80", "\xef\xbb\xbf", "\xf3\xa0\x80\x81",
	};
	u8 full[PPROF_CUSTOM_NAME_BYTES + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!pprof_custom_name_is_valid(named(good[i])))
			fail_msg("%s is no name", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (pprof_custom_name_is_valid(named(bad[i])))
			fail_msg("%zu: %s is a name", i, bad[i]);
	memset(full, 'x', sizeof(full));
	assert_false(pprof_custom_name_is_valid(full));
	full[PPROF_CUSTOM_NAME_BYTES - 1] = 0;
	assert_true(pprof_custom_name_is_valid(full));
	full[1] = 0;
	assert_false(pprof_custom_name_is_valid(full));	/* something behind it */
	full[1] = 'x';
	full[PPROF_CUSTOM_NAME_BYTES - 2] = 0xc3;	/* a character that the end cuts */
	assert_false(pprof_custom_name_is_valid(full));
}

static void test_profiles(void **state)
{
	char name[16];

	(void)state;
	assert_int_equal(pprof_custom_find(&customs, named("p1")), -ENOENT);
	for (int i = 0; i < PPROF_MAX_CUSTOM_PROFILES; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		assert_int_equal(pprof_custom_new(&customs, named(name)), 0);
		assert_int_equal(pprof_custom_find(&customs, named(name)), i);
	}
	assert_int_equal(pprof_custom_new(&customs, named("p63")), -EEXIST);
	for (const struct keyword *kind = keywords_types; kind->name; kind++)
		assert_int_equal(pprof_custom_new(&customs, named(kind->name)), -EEXIST);
	assert_int_equal(pprof_custom_new(&customs, named("more")), -ENOSPC);
	assert_int_equal(pprof_custom_find(&customs, named("p")), -ENOENT);
}

/* Many, so that the table of values grows; two profiles don't meet. */
static void test_values(void **state)
{
	(void)state;
	assert_int_equal(pprof_custom_new(&customs, named("a")), 0);
	assert_int_equal(pprof_custom_new(&customs, named("b")), 0);
	pprof_custom_remove(&customs, 0, 1);
	for (u64 i = 0; i < 1000; i++) {
		assert_int_equal(add(0, i, 2), 0);
		assert_int_equal(add(1, i, 0), 0);
	}
	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(add(0, i, 2), -EEXIST);
	for (u64 i = 0; i < 1000; i += 2)
		pprof_custom_remove(&customs, 0, i);
	pprof_custom_remove(&customs, 0, 2);
	assert_int_equal(customs.profiles[0].count, 500);
	assert_int_equal(customs.profiles[1].count, 1000);
	assert_int_equal(customs.nr_values, 1500);
	assert_int_equal(customs.nr_frames, 1000);
	assert_true(customs.nr_buckets >= 1500);
	assert_int_equal(add(0, 2, 1), 0);
	assert_int_equal(add(0, 1, 1), -EEXIST);
}

static void test_bounds(void **state)
{
	u32 nr = PPROF_MAX_CUSTOM_FRAMES / PPROF_MAX_FRAMES;

	(void)state;
	assert_int_equal(pprof_custom_new(&customs, named("a")), 0);
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(add(0, i, PPROF_MAX_FRAMES), 0);
	assert_int_equal(add(0, nr, 1), -ENOSPC);
	assert_int_equal(add(0, nr, 0), 0);
	pprof_custom_remove(&customs, 0, 0);
	for (u32 i = nr + 1; i < PPROF_MAX_CUSTOM_VALUES + 1; i++)
		assert_int_equal(add(0, i, 0), 0);
	assert_int_equal(customs.nr_values, PPROF_MAX_CUSTOM_VALUES);
	assert_int_equal(add(0, 1ULL << 40, 0), -ENOSPC);
	pprof_custom_remove(&customs, 0, 1);
	assert_int_equal(add(0, 1ULL << 40, 0), 0);
}

/* Reads all through a small buffer. How many values there were; they rise. */
static u32 read_all(u32 bytes, void (*between)(void))
{
	u64 buffer[PPROF_MIN_CUSTOM_BYTES / 8], next = 0, until = 0, last = 0;
	const struct pprof_custom_value *value;
	u32 nr = 0, written;

	do {
		written = pprof_custom_copy(&customs, 0, buffer, bytes, &next, &until);
		assert_true(written <= bytes);
		for (u32 at = 0; at < written;) {
			value = (const void *)((const char *)buffer + at);
			assert_true(value->value > last);
			last = value->value;
			assert_int_equal(value->nr_frames, last % 5);
			for (u32 i = 0; i < value->nr_frames; i++)
				assert_int_equal(value->frames[i], last + i);
			at += sizeof(*value) + value->nr_frames * sizeof(u64);
			nr++;
		}
		if (between)
			between();
	} while (next);
	return nr;
}

/* Behind and ahead of where the reader is. */
static void come_and_go(void)
{
	static u64 first = 1, last = 1000000;

	pprof_custom_remove(&customs, 0, first++);
	pprof_custom_remove(&customs, 0, last - 5);
	assert_int_equal(add(0, last, last % 5), 0);
	last++;
}

static void test_copy(void **state)
{
	(void)state;
	assert_int_equal(pprof_custom_new(&customs, named("a")), 0);
	assert_int_equal(read_all(4096, NULL), 0);
	for (u64 i = 1; i <= 500; i++)
		assert_int_equal(add(0, i, i % 5), 0);
	assert_int_equal(read_all(4096, NULL), 500);
	assert_int_equal(read_all(48, NULL), 500);	/* one at a time */
	/* Values that were added meanwhile do not come */
	assert_int_equal(read_all(300, come_and_go), 500);
}

static void test_no_memory(void **state)
{
	(void)state;
	allocations_left = 0;
	assert_int_equal(pprof_custom_new(&customs, named("a")), -ENOMEM);
	allocations_left = 1;
	assert_int_equal(pprof_custom_new(&customs, named("a")), 0);
	assert_int_equal(add(0, 1, 0), -ENOMEM);
	allocations_left = 1;	/* the value, but no table */
	assert_int_equal(add(0, 1, 0), -ENOMEM);
	allocations_left = 66;
	for (u64 i = 0; i < 65; i++)
		assert_int_equal(add(0, i, 0), i < 64 ? 0 : -ENOMEM);
	assert_int_equal(customs.nr_values, 64);
	allocations_left = -1;
	assert_int_equal(add(0, 63, 0), -EEXIST);	/* the old table serves */
	assert_int_equal(add(0, 64, 0), 0);
}

/* What may be taken is enough for so many; what fails takes nothing. */
static void test_no_quota(void **state)
{
	size_t taken;

	(void)state;
	bytes_left = 0;
	assert_int_equal(pprof_custom_new(&customs, named("a")), -ENOSPC);
	assert_int_equal(add(0, 1, 0), -ENOSPC);
	assert_int_equal(bytes_taken, 0);
	bytes_left = 1 << 20;
	assert_int_equal(pprof_custom_new(&customs, named("a")), 0);
	for (u64 i = 0; i < 64; i++)
		assert_int_equal(add(0, i, 2), 0);
	taken = bytes_taken;
	bytes_left = 200;	/* the value, but not the larger table */
	assert_int_equal(add(0, 64, 2), -ENOSPC);
	assert_int_equal(bytes_taken, taken);
	pprof_custom_remove(&customs, 0, 0);
	assert_true(bytes_taken < taken);
	assert_int_equal(add(0, 64, 2), 0);
	assert_int_equal(bytes_taken, taken);
}

static u32 longest_chain(void)
{
	const struct hlist_node *node;
	u32 longest = 0, nr;

	for (u32 i = 0; i < customs.nr_buckets; i++) {
		nr = 0;
		for (node = customs.buckets[i].first; node; node = node->next)
			nr++;
		longest = nr > longest ? nr : longest;
	}
	return longest;
}

/* hash_64() of these values has 0 in all bits that choose a bucket. */
static u64 hostile(u64 i)
{
	const u64 inverse = 0xe217c1e66c88cc3ULL;	/* of GOLDEN_RATIO_64, modulo 2^64 */

	return inverse * (i << 49 | (i + 1));
}

static void test_values_that_a_program_chooses(void **state)
{
	(void)state;
	assert_int_equal(0xe217c1e66c88cc3ULL * GOLDEN_RATIO_64, 1);
	assert_int_equal(pprof_custom_new(&customs, named("a")), 0);
	for (u64 i = 0; i < 4096; i++)
		assert_int_equal(add(0, hostile(i), 0), 0);
	assert_in_range(longest_chain(), 1, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_names, teardown),
		cmocka_unit_test_teardown(test_profiles, teardown),
		cmocka_unit_test_teardown(test_values, teardown),
		cmocka_unit_test_teardown(test_bounds, teardown),
		cmocka_unit_test_teardown(test_copy, teardown),
		cmocka_unit_test_teardown(test_no_memory, teardown),
		cmocka_unit_test_teardown(test_no_quota, teardown),
		cmocka_unit_test_teardown(test_values_that_a_program_chooses, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
