// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/base/kernel_versions.h"

static void test_tested(void **state)
{
	(void)state;
	assert_false(pprof_kernel_is_tested(KERNEL_VERSION(5, 9, 255)));
	assert_true(pprof_kernel_is_tested(KERNEL_VERSION(5, 10, 0)));
	assert_true(pprof_kernel_is_tested(KERNEL_VERSION(7, 3, 255)));
	assert_false(pprof_kernel_is_tested(KERNEL_VERSION(7, 4, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tested) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
