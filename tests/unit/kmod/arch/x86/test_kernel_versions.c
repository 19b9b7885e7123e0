// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/arch/x86/kernel_versions.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* The last before and the first with each change that the header names. */
static const struct {
	unsigned int version;
	bool is_safe, is_safe_with_shadow_stacks;
} kernels[] = {
	{ KERNEL_VERSION(6, 1, 0), true, true },
	{ KERNEL_VERSION(6, 5, 255), true, true },	/* has none, whatever the CPU has */
	{ KERNEL_VERSION(6, 6, 0), true, false },
	{ KERNEL_VERSION(6, 6, 43), true, false },
	{ KERNEL_VERSION(6, 6, 44), true, true },
	{ KERNEL_VERSION(6, 6, 255), true, true },
	{ KERNEL_VERSION(6, 7, 0), true, false },
	{ KERNEL_VERSION(6, 10, 2), true, false },
	{ KERNEL_VERSION(6, 10, 3), true, true },
	{ KERNEL_VERSION(6, 10, 255), true, true },
	{ KERNEL_VERSION(6, 11, 0), false, false },
	{ KERNEL_VERSION(6, 11, 255), false, false },
	{ KERNEL_VERSION(6, 12, 0), false, false },
	{ KERNEL_VERSION(6, 12, 13), false, false },
	{ KERNEL_VERSION(6, 12, 14), true, true },
	{ KERNEL_VERSION(6, 12, 255), true, true },
	{ KERNEL_VERSION(6, 13, 0), false, false },
	{ KERNEL_VERSION(6, 13, 2), false, false },
	{ KERNEL_VERSION(6, 13, 3), true, true },
	{ KERNEL_VERSION(6, 14, 0), true, true },
	{ KERNEL_VERSION(7, 0, 0), true, true },
};

static void test_uprobes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(kernels); i++) {
		assert_int_equal(pprof_arch_uprobes_are_safe(kernels[i].version, false),
				 kernels[i].is_safe);
		assert_int_equal(pprof_arch_uprobes_are_safe(kernels[i].version, true),
				 kernels[i].is_safe_with_shadow_stacks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_uprobes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
