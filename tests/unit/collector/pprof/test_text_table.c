// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/text_table.c collector/pprof/text_escape.c collector/base/utf8.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "pprof/profile.h"
#include "pprof/text_table.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct text_table));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	text_table_fini(*state);
	free(*state);
	return 0;
}

/* file may be NULL. */
static void add(struct text_table *t, uint64_t address, const char *name, uint64_t offset,
		const char *file)
{
	const struct text_table_row row = {
		.address = address, .name = name, .offset = offset, .file = file ? file : "",
		.line = 1,
	};

	assert_int_equal(text_table_add(t, &row), 0);
}

static void assert_text(const struct text_table *t, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	text_table_write(t, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

/* A column of names ends at a line that has no source position. */
static void test_columns(void **state)
{
	struct text_table *t = *state;

	add(t, 0x100, "a", 0, "a.c");
	add(t, 0x7f0000000100, "a\xc3\xa9\xc3\xa9ide_name", 0x10, "a.c");
	add(t, 0x300, "longer_than_all_of_them", 0, NULL);
	add(t, 0x100, "a", 0, "a.c");
	add(t, 0x400, "[app]", PROFILE_NO_OFFSET, NULL);
	assert_text(t, "#\t0x100\t\ta+0x0\t\t\ta.c:1\n"
		    "#\t0x7f0000000100\ta\xc3\xa9\xc3\xa9ide_name+0x10\ta.c:1\n"
		    "#\t0x300\t\tlonger_than_all_of_them+0x0\n"
		    "#\t0x100\t\ta+0x0\ta.c:1\n"
		    "#\t0x400\t\t[app]\n");
}

/* A cell of 7 needs one tab stop, a cell of 8 needs two. */
static void test_tab_stops(void **state)
{
	struct text_table *t = *state;

	add(t, 0x12345, "abc", 0xf, "a.c");
	assert_text(t, "#\t0x12345\tabc+0xf\ta.c:1\n");
	text_table_clear(t);
	assert_text(t, "");
	add(t, 0x123456, "abcd", 0xf, "a.c");
	add(t, 0x12345, "abc", 0xf, "a.c");
	assert_text(t, "#\t0x123456\tabcd+0xf\ta.c:1\n#\t0x12345\t\tabc+0xf\t\ta.c:1\n");
}

static void test_many_rows(void **state)
{
	struct text_table *t = *state;

	for (uint64_t i = 0; i < 1000; i++)
		add(t, i, "f", 0, NULL);
	assert_int_equal(t->nr, 1000);
	assert_int_equal(t->rows[999].address, 999);
}

static void test_no_memory(void **state)
{
	const struct text_table_row row = { .name = "f", .file = "" };
	struct text_table *t = *state;

	allocations_left = 0;
	assert_int_equal(text_table_add(t, &row), -ENOMEM);
	allocations_left = -1;
	assert_int_equal(t->nr, 0);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_columns),
		WITH_SETUP(test_tab_stops),
		WITH_SETUP(test_many_rows),
		WITH_SETUP(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
