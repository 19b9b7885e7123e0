// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/privileges.c
#include <inttypes.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/privileges.h"

/* By their numbers in capabilities(7)'s header, as /proc shows them. */
#define KEPT ((UINT64_C(1) << 1) | (UINT64_C(1) << 2) | (UINT64_C(1) << 3) | (UINT64_C(1) << 5) | \
	      (UINT64_C(1) << 19) | (UINT64_C(1) << 38) | (UINT64_C(1) << 40))
#define NET_ADMIN	(UINT64_C(1) << 12)
#define SYS_ADMIN	(UINT64_C(1) << 21)
#define PERFMON		(UINT64_C(1) << 38)
#define RESTORE		(UINT64_C(1) << 40)

static uint64_t read_status(const char *name, int base)
{
	uint64_t value = UINT64_MAX;
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name) + 1, NULL, base);
	if (f)
		fclose(f);
	return value;
}

static uint64_t effective(void)
{
	return read_status("CapEff", 16);
}

/* In a child, since there is no way back: 0, or the line that failed. */
#define CHILD_CHECK(condition) do { if (!(condition)) _exit(__LINE__ % 256 ? : 1); } while (0)

static void child_drops(uint64_t before, bool net_admin, uint64_t kept)
{
	CHILD_CHECK(!privileges_drop(net_admin));
	CHILD_CHECK(effective() == (before & kept));
	CHILD_CHECK(read_status("CapPrm", 16) == (before & kept));
	CHILD_CHECK(!read_status("CapInh", 16));
	CHILD_CHECK(read_status("NoNewPrivs", 10) == 1);
	CHILD_CHECK(!privileges_drop(net_admin));	/* once more changes nothing */
	CHILD_CHECK(effective() == (before & kept));
	_exit(0);
}

static void run_child(bool net_admin, uint64_t kept)
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		child_drops(effective(), net_admin, kept);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_keeps_what_a_profile_needs(void **state)
{
	(void)state;
	run_child(false, KEPT);
}

static void test_keeps_what_an_audit_needs(void **state)
{
	(void)state;
	run_child(true, KEPT | NET_ADMIN);
}

static void drop_without(uint64_t capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		CHILD_CHECK(!syscall(SYS_capget, &header, data));
		data[1].effective &= ~(uint32_t)(capability >> 32);
		data[1].permitted = data[1].effective;
		data[1].inheritable = 0;
		CHILD_CHECK(!syscall(SYS_capset, &header, data));
		child_drops(effective(), false, KEPT | SYS_ADMIN);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* What kernels before 5.8 and 5.9 had for them still counts as them. */
static void test_keeps_sys_admin_in_place_of_its_parts(void **state)
{
	(void)state;
	drop_without(PERFMON);
	drop_without(RESTORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_what_a_profile_needs),
		cmocka_unit_test(test_keeps_what_an_audit_needs),
		cmocka_unit_test(test_keeps_sys_admin_in_place_of_its_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
