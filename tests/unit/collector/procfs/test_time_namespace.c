// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/time_namespace.c
// libs: -Wl,--wrap=fopen
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/time_namespace.h"

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

static bool is_opened;

FILE *__wrap_fopen(const char *path, const char *mode)
{
	FILE *f = __real_fopen(path, mode);

	is_opened |= !!f;
	return f;
}

static int64_t read_text(const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	int64_t offset_ns;

	assert_non_null(f);
	offset_ns = time_namespace_read(f);
	fclose(f);
	return offset_ns;
}

/* The kernel's format: seconds may be negative, ns are not. */
static void test_offsets(void **state)
{
	(void)state;
	assert_true(read_text("monotonic           0         0\n"
			      "boottime            0         0\n") == 0);
	assert_true(read_text("monotonic      100000         7\n"
			      "boottime            5         0\n") == 100000000000007);
	assert_true(read_text("boottime            5         0\n"
			      "monotonic          -3 500000000\n") == -2500000000);
}

/* The path is the kernel's. If it were wrong, the offset would be 0, and no error would show. */
static void test_path(void **state)
{
	(void)state;
	if (access("/proc/self/ns/time", F_OK))
		skip();
	is_opened = false;
	time_namespace_offset_ns();
	assert_true(is_opened);
}

static void test_no_offsets(void **state)
{
	(void)state;
	assert_true(read_text("\n") == 0);
	assert_true(read_text("monotonic\n") == 0);
	assert_true(read_text("monotonic 5 x\nboottime 5 5\n") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_no_offsets),
		cmocka_unit_test(test_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
