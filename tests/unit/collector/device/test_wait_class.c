// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/wait_class.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "device/wait_class.h"
#include "pprof.h"

static void test_each(void **state)
{
	static const struct {
		uint64_t syscall;
		const char *name;
	} cases[] = {
		{ SYS_futex, "futex" }, { 449, "futex" }, { 455, "futex" },
		{ SYS_read, "io" }, { SYS_accept4, "io" }, { SYS_fdatasync, "io" },
		{ PPROF_NO_SYSCALL, "io" },
		{ SYS_poll, "poll" }, { SYS_epoll_wait, "poll" }, { SYS_pselect6, "poll" },
		{ SYS_nanosleep, "sleep" }, { SYS_clock_nanosleep, "sleep" },
		{ SYS_wait4, "other" }, { SYS_pause, "other" }, { 100000, "other" },
		{ SYS_futex | 1ULL << 32, "other" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(wait_class_name(cases[i].syscall), cases[i].name);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(wait_class_syscall(SYS_futex), "futex_wait");
	assert_string_equal(wait_class_syscall(455), "futex_wait");
	assert_string_equal(wait_class_syscall(SYS_read), "read");
	assert_string_equal(wait_class_syscall(SYS_epoll_pwait), "epoll_pwait");
	assert_string_equal(wait_class_syscall(SYS_wait4), "wait4");
	assert_string_equal(wait_class_syscall(PPROF_NO_SYSCALL), "page_fault");
	assert_null(wait_class_syscall(SYS_getpid));
	assert_null(wait_class_syscall(UINT16_MAX));
	assert_null(wait_class_syscall(1ULL << 32));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each),
					   cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
