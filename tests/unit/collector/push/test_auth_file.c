// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/auth_file.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "push/auth_file.h"

static char path[64];

static void write_file(const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void reads(const char *text, const char *expected)
{
	char *secret;

	write_file(text, strlen(text));
	assert_int_equal(auth_file_read(path, &secret), 0);
	assert_string_equal(secret, expected);
	auth_file_free(secret);
}

static void refuses(const void *data, size_t len)
{
	char *secret;

	write_file(data, len);
	assert_int_equal(auth_file_read(path, &secret), -EBADMSG);
}

static void lines(void **state)
{
	(void)state;
	reads("user:pass word", "user:pass word");
	reads("token\n", "token");
	reads("token\r\n", "token");
	refuses("", 0);
	refuses("\n", 1);
	refuses("a\nb", 3);
	refuses("a\rX: y\n", 7);
	refuses("a\0b", 3);
}

static void sizes(void **state)
{
	char text[AUTH_FILE_MAX_BYTES + 1], *secret;

	(void)state;
	memset(text, 'x', sizeof(text));
	refuses(text, AUTH_FILE_MAX_BYTES + 1);
	refuses(text, AUTH_FILE_MAX_BYTES);
	write_file(text, AUTH_FILE_MAX_BYTES - 1);
	assert_int_equal(auth_file_read(path, &secret), 0);
	assert_int_equal(strlen(secret), AUTH_FILE_MAX_BYTES - 1);
	auth_file_free(secret);
}

static void unreadable(void **state)
{
	char *secret;

	(void)state;
	assert_int_equal(auth_file_read("/dev/null/x", &secret), -ENOTDIR);
	assert_int_equal(auth_file_read("/", &secret), -EISDIR);
}

static int make_file(void **state)
{
	int fd;

	strcpy(path, "/tmp/test_auth_file.XXXXXX");
	fd = mkstemp(path);
	(void)state;
	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines), cmocka_unit_test(sizes), cmocka_unit_test(unreadable),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
