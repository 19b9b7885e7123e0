// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/columns.c collector/base/utf8.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/* What is expected was printed by Go's text/tabwriter, with AlignRight and a padding of 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/columns.h"
#include "fail_alloc.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static const struct {
	const char *text, *aligned;
} cases[] = {
	{ "", "" },
	{ "no cell\n", "no cell\n" },
	{ "a\tb\n", " ab\n" },
	{ "a\trest\nlong\tx\n", "    arest\n longx\n" },
	{ " \t1:\t x\n \t123:\t y\n\n \t1:\t z\n",
	  "     1: x\n   123: y\n\n   1: z\n" },
	{ "k:\t Total\n \t10 (5%):\t v\n \t5:\t w\n\n",
	  " k: Total\n    10 (5%): v\n          5: w\n\n" },
	{ "a\tb\tc\nx\nlonger\ty\n", " a bc\nx\n longery\n" },
	{ "\xc3\xbc\tx\nab\ty\n", "  \xc3\xbcx\n aby\n" },
	{ "a\tb\fccc\td\n", " ab\n cccd\n" },
	{ "a\vb\nccc\td\n", "   ab\n cccd\n" },
	{ "\t\tx\naa\tb\ty\n", "     x\n aa by\n" },
	{ "a\tunfinished", " aunfinished" },
	{ "one\ttwo\tthree\tx\none\ty\none\ttwo and more\tz\n",
	  " one two threex\n oney\n one two and morez\n" },
};

/* Returns what is printed, which the caller frees; or NULL without memory. */
static char *align(const char *text)
{
	char *aligned = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&aligned, &len);
	int err;

	assert_non_null(out);
	err = columns_print(out, text, strlen(text));
	allocations_left = -1;
	fclose(out);
	if (!err)
		return aligned;
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(len, 0);
	free(aligned);
	return NULL;
}

static void test_cells(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		char *aligned = align(cases[i].text);

		assert_string_equal(aligned, cases[i].aligned);
		free(aligned);
	}
}

static void test_every_allocation_may_fail(void **state)
{
	char *aligned = NULL;

	(void)state;
	for (long i = 0; !aligned; i++) {
		assert_in_range(i, 0, 100);
		allocations_left = i;
		aligned = align("a\tb\n");
	}
	assert_string_equal(aligned, " ab\n");
	free(aligned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
