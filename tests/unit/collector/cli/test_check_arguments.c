// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/check_arguments.c collector/process/command.c
// sources: collector/device/error_text.c collector/device/user_policy.c
// sources: collector/base/regular_file.c
#include <sys/stat.h>

#include "capture.h"
#include "cli/check_arguments.h"
#include "cli/options.h"
#include "device/device.h"

#define NO_PID	0x7fffffff

void device_foreign_abi(unsigned int *major, unsigned int *minor)
{
	*major = *minor = 0;
}

static void assert_refused(const struct options *options, const char *says)
{
	struct capture out;

	capture_begin(&out, STDERR_FILENO);
	assert_int_equal(check_arguments(options), -1);
	assert_sentence(capture_end(&out), says);
}

static void test_pids(void **state)
{
	pid_t pids[] = { getpid(), NO_PID };
	struct options c = { .command = OPTIONS_PROFILE, .run = { .pids = pids, .nr_pids = 1 } };

	(void)state;
	assert_int_equal(check_arguments(&c), 0);
	c.run.nr_pids = 2;
	assert_refused(&c, "no process has the pid 2147483647");
	c.command = OPTIONS_LIST;
	assert_refused(&c, "no process has the pid 2147483647");
	c.command = OPTIONS_AUDIT;
	assert_refused(&c, "no process has the pid 2147483647");
	c.command = OPTIONS_DOCTOR;	/* it checks more than the process */
	assert_int_equal(check_arguments(&c), 0);
}

static void assert_program(const char *program, const char *error)
{
	char says[256], *argv[2] = { (char *)program };
	struct options c = { .command = OPTIONS_PROFILE, .run = { .program = argv } };

	snprintf(says, sizeof(says), "cannot run '%s': %s: name a program", program, error);
	if (*error)
		assert_refused(&c, says);
	else
		assert_int_equal(check_arguments(&c), 0);
}

static void test_programs(void **state)
{
	char folder[] = "/tmp/programs-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/nothing", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	setenv("PATH", folder, 1);
	assert_program("/bin/sh", "");
	assert_program("sh", "No such file or directory");
	assert_program("nothing", "Permission denied");
	setenv("PATH", "/none:/bin:/usr/bin", 1);
	assert_program("sh", "");
	assert_program("", "No such file or directory");
	assert_program("/no/such", "No such file or directory");
	assert_program("/etc/passwd", "Permission denied");
	assert_program("/etc", "Permission denied");
	rmdir(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
