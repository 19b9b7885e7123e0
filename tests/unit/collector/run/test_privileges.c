// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/privileges.c collector/base/capabilities.c
// sources: collector/base/write_folders.c collector/process/syscall_filter.c
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/write_folders.h"
#include "run/privileges.h"

/* By their numbers in capabilities(7)'s header, as /proc shows them. */
#define KEPT ((UINT64_C(1) << 1) | (UINT64_C(1) << 2) | (UINT64_C(1) << 3) | (UINT64_C(1) << 5) | \
	      (UINT64_C(1) << 19) | (UINT64_C(1) << 38) | (UINT64_C(1) << 40))
#define NET_ADMIN	(UINT64_C(1) << 12)
#define SYS_ADMIN	(UINT64_C(1) << 21)
#define SYSLOG		(UINT64_C(1) << 34)
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

static void child_drops(uint64_t before, uint64_t more, uint64_t kept)
{
	CHILD_CHECK(!privileges_drop(more));
	CHILD_CHECK(effective() == (before & kept));
	CHILD_CHECK(read_status("CapPrm", 16) == (before & kept));
	CHILD_CHECK(!read_status("CapInh", 16));
	CHILD_CHECK(read_status("NoNewPrivs", 10) == 1);
	CHILD_CHECK(!privileges_drop(more));	/* once more changes nothing */
	CHILD_CHECK(effective() == (before & kept));
	_exit(0);
}

static void run_child(uint64_t more, uint64_t kept)
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		child_drops(effective(), more, kept);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_keeps_what_a_profile_needs(void **state)
{
	(void)state;
	run_child(0, KEPT);
}

static void test_keeps_what_an_audit_needs(void **state)
{
	(void)state;
	run_child(NET_ADMIN, KEPT | NET_ADMIN);
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
		child_drops(effective(), 0, KEPT | SYS_ADMIN);
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

static void in_child(void (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define DAC_OVERRIDE	(UINT64_C(1) << 1)
#define DAC_READ	(UINT64_C(1) << 2)
#define FOWNER		(UINT64_C(1) << 3)
#define KILL		(UINT64_C(1) << 5)

static void seals_a_reader(void)
{
	uint64_t before = effective();

	CHILD_CHECK(!privileges_drop(0));
	CHILD_CHECK(read_status("Seccomp:", 10) == 0);
	CHILD_CHECK(!privileges_seal(&(struct privileges_seal){ 0 }));
	CHILD_CHECK(effective() == (before & KEPT & ~(DAC_OVERRIDE | FOWNER | KILL)));
	CHILD_CHECK(read_status("Seccomp:", 10) == 2);
}

static void seals_a_profile(void)
{
	const struct privileges_seal seal = { .program = 1, .writes_files = true };
	const int folder = open("/tmp", O_PATH | O_DIRECTORY);
	uint64_t before = effective();

	CHILD_CHECK(!privileges_drop(SYSLOG));
	CHILD_CHECK(effective() == (before & (KEPT | SYSLOG)));
	CHILD_CHECK(!privileges_seal(&seal));
	CHILD_CHECK(effective() == (before & KEPT));
	CHILD_CHECK(open("/dev/null", O_WRONLY) >= 0);
	CHILD_CHECK(!privileges_end_profile(&folder, 1));
	CHILD_CHECK(effective() == (before & (DAC_OVERRIDE | DAC_READ | FOWNER | KILL)));
	/* Without Landlock in the kernel a file can still be opened. */
	CHILD_CHECK(open("/dev/null", O_WRONLY) < 0 ||
		    write_folders_only(NULL, 0) == -EOPNOTSUPP);
}

/* It may write nowhere but in its folder, read files of others if it must, and open sockets. */
static void seals_a_sender(void)
{
	const int folder = open("/tmp", O_PATH | O_DIRECTORY);
	bool has_landlock = write_folders_only(NULL, 0) != -EOPNOTSUPP;
	uint64_t before = effective();

	CHILD_CHECK(!privileges_seal_sender(true, &folder, 1));
	CHILD_CHECK(effective() == (before & DAC_READ));
	CHILD_CHECK(read_status("Seccomp:", 10) == 2);
	CHILD_CHECK(open("/dev/null", O_WRONLY) < 0 || !has_landlock);
	CHILD_CHECK(open("/dev/null", O_RDONLY) >= 0);
	CHILD_CHECK(socket(AF_INET, SOCK_STREAM, 0) >= 0);
	CHILD_CHECK(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) < 0 && errno == EPERM);
	CHILD_CHECK(!privileges_seal_sender(false, NULL, 0));
	CHILD_CHECK(effective() == 0);
}

/* libdebuginfod chooses its folder. */
static void writes_anywhere_with_servers(void)
{
	const struct privileges_seal seal = { .asks_servers = true };
	uint64_t before = effective();

	CHILD_CHECK(!privileges_seal(&seal));
	CHILD_CHECK(!privileges_end_profile(NULL, 0));
	CHILD_CHECK(effective() == (before & (DAC_OVERRIDE | DAC_READ | FOWNER)));
	CHILD_CHECK(open("/dev/null", O_WRONLY) >= 0);
}

/* A filter that is there already may kill a process that calls Landlock. This one allows all. */
static void calls_no_landlock_under_a_foreign_filter(void)
{
	struct sock_filter code = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog filter = { .len = 1, .filter = &code };
	const int folder = open("/tmp", O_PATH | O_DIRECTORY);

	CHILD_CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHILD_CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	CHILD_CHECK(!privileges_seal(&(struct privileges_seal){ 0 }));
	CHILD_CHECK(!privileges_end_profile(&folder, 1));
	CHILD_CHECK(open("/dev/null", O_WRONLY) >= 0);
}

static void test_seal(void **state)
{
	(void)state;
	in_child(seals_a_reader);
	in_child(seals_a_profile);
	in_child(seals_a_sender);
	in_child(writes_anywhere_with_servers);
	in_child(calls_no_landlock_under_a_foreign_filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_what_a_profile_needs),
		cmocka_unit_test(test_keeps_what_an_audit_needs),
		cmocka_unit_test(test_keeps_sys_admin_in_place_of_its_parts),
		cmocka_unit_test(test_seal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
