// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/library.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/library.h"

static double (*cosine)(double);
static void (*missing)(void);

static const struct library_symbol symbols[] = {
	{ "cos", (void **)&cosine }, { "no_such_function", (void **)&missing },
};

static void the_second_name(void **state)
{
	struct library library = { { "no-such-library.so", "libm.so.6" }, symbols, 1, NULL };

	(void)state;
	assert_int_equal(library_load(&library), 0);
	assert_true(cosine(0) > 0.99);
}

static void loaded_once(void **state)
{
	struct library library = { { "libm.so.6", NULL }, symbols, 1, NULL };

	(void)state;
	assert_int_equal(library_load(&library), 0);
	cosine = NULL;
	assert_int_equal(library_load(&library), 0);
	assert_null(cosine);
}

static void no_library(void **state)
{
	struct library library = { { "no-such-library.so", NULL }, symbols, 1, NULL };

	(void)state;
	assert_int_equal(library_load(&library), -ENOENT);
}

/* A later call must not take it for loaded. */
static void no_symbol(void **state)
{
	struct library library = { { "libm.so.6", NULL }, symbols, 2, NULL };

	(void)state;
	assert_int_equal(library_load(&library), -ENOENT);
	assert_int_equal(library_load(&library), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_name), cmocka_unit_test(loaded_once),
		cmocka_unit_test(no_library), cmocka_unit_test(no_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
