// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/terminal_text.c collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run/terminal_text.h"

static void assert_shows(size_t width, bool has_colours, const char *text, const char *expected)
{
	struct terminal_text t = { .width = width, .has_colours = has_colours };
	char *shown;
	size_t len;
	FILE *out = open_memstream(&shown, &len), *stream = terminal_text_open(&t, out);

	setvbuf(stream, NULL, _IONBF, 0);	/* lines come in pieces, too */
	fputs(text, stream);
	assert_int_equal(terminal_text_close(&t, stream), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(shown, expected);
	free(shown);
}

static void test_width(void **state)
{
	(void)state;
	assert_shows(0, false, "a long line\n", "a long line\n");
	assert_shows(6, false, " 23456\n 234567\n\n", " 23456\n 234..\n\n");
	assert_shows(6, false, "-234567", "-234..\n");
	assert_shows(6, false, " 23456 \t " "\n  " "\n", " 23456\n\n");
	assert_shows(6, false, "head of a table\n", "head of a table\n");
	/* Characters count, and not bytes. */
	assert_shows(4, false, " \xc3\xa9\xc3\xa9\xc3\xa9\n", " \xc3\xa9\xc3\xa9\xc3\xa9\n");
	assert_shows(2, false, " 234567\n", " 234567\n");
}

static void test_names(void **state)
{
	(void)state;
	assert_shows(0, false, "a\033[2Jb\n", "a\\x1b[2Jb\n");
	assert_shows(0, false, "\xff \\ \xc2\x9b\n", "\\xff \\ \\xc2\\x9b\n");
	assert_shows(7, false, " 2345\033\n", " 2345..\n");
	assert_shows(0, false, "a\tb\n", "a       b\n");
}

static void test_colours(void **state)
{
	(void)state;
	assert_shows(0, true, "      flat  flat%\n", "\033[1m      flat  flat%\033[m\n");
	assert_shows(0, true, "  5s 5.00% 9% 6s 4.99%  50% x\n",
		     "  5s\033[31m 5.00%\033[m 9% 6s\033[32m 4.99%\033[m\033[31m  50%\033[m x\n");
	assert_shows(0, true, "  1s 0.49% 9% 2s 0.5%  f\n",
		     "  1s 0.49% 9% 2s\033[32m 0.5%\033[m  f\n");
	assert_shows(0, true, "no 50%\n", "no 50%\n");
	assert_shows(9, true, "  5s 5.00% 9%\n", "  5s 5...\n");
	assert_shows(0, true, "\n 50%\n", "\n\033[31m 50%\033[m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
