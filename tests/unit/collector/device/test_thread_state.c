// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/thread_state.c collector/device/wait_class.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "device/wait_class.h"
#include "pprof.h"
#include "device/thread_state.h"

#define MINUTE_NS	60000000000ULL

static const struct {
	uint64_t arg;
	uint64_t ns;
	bool in_syscall;
	const char *label;
	const char *printed;
} cases[] = {
	{ PPROF_THREAD_RUNNING, 0, false, "running", "running" },
	{ PPROF_THREAD_RUNNABLE, 5, false, "runnable", "runnable" },
	{ PPROF_THREAD_STOPPED, 2 * MINUTE_NS, false, "stopped", "stopped, 2 minutes" },
	{ PPROF_NO_SYSCALL, 0, false, "io", "page_fault" },
	{ WAIT_CLASS_UNKNOWN, 5 * MINUTE_NS, true, "other", "waiting, 5 minutes" },
	{ SYS_futex, MINUTE_NS - 1, true, "futex", "futex_wait" },
	{ SYS_futex, 6 * MINUTE_NS - 1, true, "futex", "futex_wait, 5 minutes" },
	{ SYS_epoll_wait, MINUTE_NS, true, "poll", "epoll_wait, 1 minutes" },
	{ SYS_read, 0, true, "io", "read" },
	{ SYS_wait4, 0, true, "other", "wait4" },
	{ 1000, 0, true, "other", "system call 1000" },
	{ 65535, 0, true, "other", "system call 65535" },
	{ 65536 + SYS_read, 0, true, "other", "system call 65536" },
};

static void test_label(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_string_equal(thread_state_label(cases[i].arg), cases[i].label);
		assert_int_equal(thread_state_in_syscall(cases[i].arg), cases[i].in_syscall);
	}
}

static void test_print(void **state)
{
	char *text;
	size_t len;
	FILE *out;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		out = open_memstream(&text, &len);
		thread_state_print(out, cases[i].arg, cases[i].ns);
		fclose(out);
		assert_string_equal(text, cases[i].printed);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
