// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
#include <sys/stat.h>
#include <unistd.h>

#include "device/user_policy.h"
#include "folder.h"

#define USERS		"root/sys/module/pprof/parameters/users"
#define PARANOID	"root/proc/sys/kernel/perf_event_paranoid"

static int make_machine(void **state)
{
	(void)state;
	return system("rm -rf root; mkdir -p root/sys/module/pprof/parameters root/proc/sys/kernel");
}

static void assert_described(const char *users, const char *paranoid, const char *want)
{
	char text[128];

	write_file(USERS, users);
	write_file(PARANOID, paranoid);
	assert_int_equal(user_policy_describe("root", text, sizeof(text)), 0);
	assert_string_equal(text, want);
}

static void test_the_sysctl(void **state)
{
	(void)state;
	assert_described("-1\n", "3\n", "may not profile (kernel.perf_event_paranoid is 3)");
	assert_described("-1\n", "2\n", "may profile their own processes (kernel.perf_event_paranoid is "
			 "2)");
	assert_described("-1\n", "-1\n", "may profile their own processes (kernel.perf_event_paranoid "
			 "is -1)");
}

static void test_the_parameter_wins(void **state)
{
	(void)state;
	assert_described("0\n", "-1\n", "may not profile (the module's parameter users is 0)");
	assert_described("1\n", "3\n", "may profile their own processes (the module's parameter users "
			 "is 1)");
}

static void test_missing_files(void **state)
{
	char text[128];

	(void)state;
	assert_int_equal(user_policy_describe("root", text, sizeof(text)), -1);
	write_file(USERS, "-1\n");
	assert_int_equal(user_policy_describe("root", text, sizeof(text)), 0);
	assert_string_equal(text, "may profile their own processes (kernel.perf_event_paranoid is 2)");
	write_file(USERS, "");
	assert_int_equal(user_policy_describe("root", text, sizeof(text)), -1);
}

static void test_who_refused(void **state)
{
	static const struct {
		mode_t mode;
		bool by_policy;
	} cases[] = { { 0666, true }, { 0606, true }, { 0660, true }, { 0640, false },
		      { 0604, false }, { 0600, false } };

	(void)state;
	assert_false(user_policy_refused("root/device"));
	write_file("root/device", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(chmod("root/device", cases[i].mode), 0);
		assert_int_equal(user_policy_refused("root/device"), cases[i].by_policy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_sysctl, make_machine),
		cmocka_unit_test_setup(test_the_parameter_wins, make_machine),
		cmocka_unit_test_setup(test_missing_files, make_machine),
		cmocka_unit_test_setup(test_who_refused, make_machine),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
