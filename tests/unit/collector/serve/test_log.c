// SPDX-License-Identifier: GPL-2.0
// sources: collector/serve/log.c
// sources: collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "capture.h"
#include "serve/log.h"

static void assert_last_line(const char *messages, size_t len, size_t size, const char *want)
{
	int fd = memfd_create("messages", 0);
	char *text = malloc(size);

	assert_int_equal(write(fd, messages, len), len);
	serve_log_last_line(fd, text, size);
	assert_string_equal(text, want);
	close(fd);
	free(text);
}

#define LAST_LINE(messages, want) assert_last_line(messages, strlen(messages), 64, want)

static void test_last_line(void **state)
{
	(void)state;
	LAST_LINE("pprof-collect: why\n", "why");
	LAST_LINE("pprof-collect: a warning\npprof-collect: why", "why");
	LAST_LINE("first\nother: why\n\n", "other: why");
	LAST_LINE("", "the work could not start: ask again");
	LAST_LINE("\n\n", "the work could not start: ask again");
	LAST_LINE("pprof-collect: ", "the work could not start: ask again");
}

static void test_long_and_foreign_messages(void **state)
{
	(void)state;
	assert_last_line("0123456789", 10, 5, "6789");
	assert_last_line("a\nb\0c\n", 6, 64, "b");
	assert_last_line("\0", 1, 64, "the work could not start: ask again");
}

static void test_no_file(void **state)
{
	char text[64];

	(void)state;
	serve_log_last_line(-1, text, sizeof(text));
	assert_string_equal(text, "the work could not start: ask again");
}

/* A client chooses the URL, and a program its name. */
static void test_log_is_one_line(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, STDERR_FILENO);
	serve_log("/a\n\x1b[2J", "why\r");
	assert_string_equal(capture_end(&c), "pprof-collect: /a\\x0a\\x1b[2J: why\\x0d\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_line),
		cmocka_unit_test(test_long_and_foreign_messages),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_log_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
