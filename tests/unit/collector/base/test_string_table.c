// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/string_table.c
// libs: -lxxhash
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/string_table.h"

/* With this many strings 32-bit hashes collide: about ten times, by the birthday paradox. */
#define NR_MANY	300000

static int setup(void **state)
{
	*state = strtab_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	strtab_free(*state);
	return 0;
}

static int64_t intern(struct strtab *t, const char *s)
{
	return strtab_intern(t, s, strlen(s));
}

static void test_empty_string_is_index_0(void **state)
{
	assert_int_equal(strtab_nr(*state), 1);
	assert_string_equal(strtab_at(*state, 0), "");
	assert_int_equal(intern(*state, ""), 0);
	assert_int_equal(strtab_nr(*state), 1);
}

static void test_equal_strings_have_one_index(void **state)
{
	char copy[] = "main";

	assert_int_equal(strtab_find(*state, "main", 4), -ENOENT);
	assert_int_equal(intern(*state, "main"), 1);
	assert_int_equal(intern(*state, "mai"), 2);
	assert_int_equal(strtab_find(*state, "main", 4), 1);
	assert_int_equal(strtab_nr(*state), 3);
	assert_int_equal(intern(*state, copy), 1);
	copy[0] = 'x';
	assert_string_equal(strtab_at(*state, 1), "main");
	assert_string_equal(strtab_at(*state, 2), "mai");
}

static void test_bytes_are_stored_as_they_come(void **state)
{
	static const char bytes[] = "a\0b\xff\n";

	assert_int_equal(strtab_intern(*state, bytes, 5), 1);
	assert_int_equal(strtab_intern(*state, bytes, 1), 2);
	assert_int_equal(strtab_intern(*state, bytes, 5), 1);
	assert_memory_equal(strtab_at(*state, 1), bytes, 6);
	assert_string_equal(strtab_at(*state, 2), "a");
}

static void test_only_len_bytes_are_read(void **state)
{
	char *exact = malloc(3);

	assert_non_null(exact);
	memcpy(exact, "abc", 3);
	assert_int_equal(strtab_intern(*state, exact, 3), 1);
	free(exact);
	assert_string_equal(strtab_at(*state, 1), "abc");
}

static void test_a_string_larger_than_a_chunk(void **state)
{
	size_t len = 300000;
	char *large = malloc(len);

	assert_non_null(large);
	memset(large, 'x', len);
	assert_int_equal(strtab_intern(*state, large, len), 1);
	assert_int_equal(intern(*state, "small"), 2);
	assert_int_equal(strtab_intern(*state, large, len), 1);
	assert_memory_equal(strtab_at(*state, 1), large, len);
	free(large);
}

static void test_many_keep_index_and_address(void **state)
{
	const char **address = calloc(NR_MANY, sizeof(*address));
	char name[32];
	int i;

	assert_non_null(address);
	for (i = 0; i < NR_MANY; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		assert_int_equal(intern(*state, name), i + 1);
		address[i] = strtab_at(*state, i + 1);
	}
	for (i = 0; i < NR_MANY; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		assert_int_equal(intern(*state, name), i + 1);
		assert_ptr_equal(strtab_at(*state, i + 1), address[i]);
		assert_string_equal(address[i], name);
	}
	assert_int_equal(strtab_nr(*state), NR_MANY + 1);
	free(address);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Some strings are in both tables, at other indices. */
static void test_all_strings_of_another_table(void **state)
{
	struct strtab *from = strtab_new();
	uint32_t to[102];
	char text[16];

	assert_non_null(from);
	for (int i = 0; i < 101; i++)
		strtab_intern(from, text, snprintf(text, sizeof(text), "s%d", i));
	for (int i = 149; i >= 50; i--)
		strtab_intern(*state, text, snprintf(text, sizeof(text), "s%d", i));
	assert_int_equal(strtab_intern_all(*state, from, to), 0);
	assert_int_equal(strtab_nr(*state), 151);
	for (size_t i = 0; i < 102; i++)
		assert_string_equal(strtab_at(*state, to[i]), strtab_at(from, i));
	strtab_free(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_empty_string_is_index_0),
		WITH_SETUP(test_equal_strings_have_one_index),
		WITH_SETUP(test_bytes_are_stored_as_they_come),
		WITH_SETUP(test_only_len_bytes_are_read),
		WITH_SETUP(test_a_string_larger_than_a_chunk),
		WITH_SETUP(test_many_keep_index_and_address),
		WITH_SETUP(test_all_strings_of_another_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
