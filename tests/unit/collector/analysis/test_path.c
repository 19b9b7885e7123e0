// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/path.c
/* What is expected was printed by Go's filepath.Base() and filepath.Clean(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/path.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static const struct {
	const char *path, *base, *clean;
} cases[] = {
	{ "", ".", "." },
	{ "/", "/", "/" },
	{ "//", "/", "/" },
	{ "a", "a", "a" },
	{ "a/", "a", "a" },
	{ "/a/b//", "b", "/a/b" },
	{ "/a/./b/../c", "c", "/a/c" },
	{ ".", ".", "." },
	{ "..", "..", ".." },
	{ "../..", "..", "../.." },
	{ "../a/../..", "..", "../.." },
	{ "/..", "..", "/" },
	{ "/../a", "a", "/a" },
	{ "a/..", "..", "." },
	{ "a/../..", "..", ".." },
	{ "/a/../..", "..", "/" },
	{ "./a", "a", "a" },
	{ "a/b/../../..", "..", ".." },
	{ "...", "...", "..." },
	{ "a/.../b", "b", "a/.../b" },
	{ "/a//../b/.", ".", "/b" },
};

static void test_base(void **state)
{
	const char *base;
	size_t len;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		base = path_base(cases[i].path, strlen(cases[i].path), &len);
		assert_int_equal(len, strlen(cases[i].base));
		assert_memory_equal(base, cases[i].base, len);
	}
}

/* Cleans into a buffer of exactly the size that the header requires. */
static void test_clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		size_t len = strlen(cases[i].path);
		char *out = malloc(len ? len : 1);

		assert_non_null(out);
		assert_int_equal(path_clean(cases[i].path, len, out), strlen(cases[i].clean));
		assert_memory_equal(out, cases[i].clean, strlen(cases[i].clean));
		free(out);
	}
}

static void test_a_nul_is_a_character(void **state)
{
	size_t len;
	char out[5];

	(void)state;
	assert_memory_equal(path_base("a/\0b", 4, &len), "\0b", 2);
	assert_int_equal(len, 2);
	assert_int_equal(path_clean("a//\0b", 5, out), 4);
	assert_memory_equal(out, "a/\0b", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_a_nul_is_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
