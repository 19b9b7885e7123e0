// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/time_namespace.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "procfs/time_namespace.h"

static int64_t read_text(const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	int64_t offset_ns;

	assert_non_null(f);
	offset_ns = time_namespace_read(f);
	fclose(f);
	return offset_ns;
}

/* As the kernel writes them: seconds may be negative, ns are not. */
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
