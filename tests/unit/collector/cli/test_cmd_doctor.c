// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/cmd_doctor.c collector/doctor/finding.c
// sources: collector/doctor/host_files.c collector/base/utf8.c
// libs:
/* What is checked is played by this file: here it is who is asked, and the verdict. */
#include <errno.h>

#include "capture.h"
#include "cli/cmd_doctor.h"
#include "device/netlink.h"
#include "doctor/host.h"
#include "doctor/host_device.h"
#include "doctor/host_kernel.h"
#include "doctor/process.h"
#include "run/privileges.h"

static struct {
	bool has_module;
	int open_error;
	unsigned int nr_host_problems;
	int netlink_error;
	bool lacked_netlink;
	int process_error;
	int nr_open;
	int nr_seals;
	const struct device *checked_by;
	pid_t checked;
} world;

struct device *device_open(void)
{
	errno = world.open_error;
	world.nr_open += !world.open_error;
	return world.open_error ? NULL : (struct device *)&world;
}

void device_close(struct device *d)
{
	world.nr_open -= !!d;
}

struct netlink *netlink_open(void)
{
	errno = world.netlink_error;
	world.nr_open += !world.netlink_error;
	return world.netlink_error ? NULL : (struct netlink *)&world;
}

void netlink_close(struct netlink *n)
{
	world.nr_open -= !!n;
}

void host_device_explain(const struct host *h, int err, struct findings *f)
{
	assert_string_equal(h->root, "");
	assert_int_equal(err, -world.open_error);
	finding_print(f, FINDING_PROBLEM, "device", "d");
}

bool host_kernel_has_module(const struct host *h)
{
	assert_string_equal(h->root, "");
	return world.has_module;
}

void host_check(const struct host *h, struct findings *f)
{
	assert_non_null(strchr(h->release, '.'));
	world.lacked_netlink = h->lacks_netlink;
	finding_print(f, FINDING_WARNING, "host", "w");
	for (unsigned int i = 0; i < world.nr_host_problems; i++)
		finding_print(f, FINDING_PROBLEM, "host", "p");
}

int privileges_seal(const struct privileges_seal *s)
{
	assert_false(s->program || s->writes_files || s->asks_servers);
	world.nr_seals++;
	return 0;
}

int process_check(const struct process_check *c, struct findings *f)
{
	(void)f;
	assert_int_equal(world.nr_seals--, 1);
	world.checked = c->pid;
	world.checked_by = c->dev;
	return world.process_error;
}

static void assert_run(pid_t pid, int want, const char *want_text)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(cmd_doctor_run(pid, out), want);
	fclose(out);
	assert_string_equal(text, want_text);
	assert_int_equal(world.nr_open, 0);
	free(text);
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	return 0;
}

/* A warning is none. */
static void test_no_problem(void **state)
{
	(void)state;
	world.has_module = true;
	assert_run(0, 0, "warning  host       w\n"
			 "ok       device     /dev/pprof opens, and its version fits\n");
	assert_int_equal(world.checked, 0);
}

/* Without the module there is nothing to ask, and that there is none was said. */
static void test_a_problem_of_the_host(void **state)
{
	(void)state;
	world.nr_host_problems = 1;
	assert_run(5, -EINVAL, "warning  host       w\nproblem  host       p\n");
	assert_int_equal(world.checked, 5);
	assert_null(world.checked_by);
}

static void test_a_process(void **state)
{
	(void)state;
	world.has_module = true;
	assert_run(5, 0, "warning  host       w\n"
			 "ok       device     /dev/pprof opens, and its version fits\n");
	assert_int_equal(world.checked, 5);
	assert_ptr_equal(world.checked_by, &world);
	world.process_error = -ENOMEM;
	assert_run(5, -EINVAL, "warning  host       w\n"
		   "ok       device     /dev/pprof opens, and its version fits\n"
		   "problem  process    not all of its files were checked: Cannot allocate memory: run "
		   "doctor again\n");
}

static void test_a_device_that_does_not_open(void **state)
{
	(void)state;
	world.has_module = true;
	world.open_error = ENOENT;
	assert_run(0, -EINVAL, "warning  host       w\nproblem  device     d\n");
}

/* A module is in the kernel, but another network namespace does not have its family. */
static void test_another_network_namespace(void **state)
{
	static const struct {
		bool has_module;
		int error;
		bool want;
	} cases[] = {
		{ true, 0, false }, { true, ENOENT, true }, { false, ENOENT, false },
		{ true, EPROTONOSUPPORT, false },
	};
	char *text;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FILE *out = open_memstream(&text, &size);

		world.has_module = cases[i].has_module;
		world.netlink_error = cases[i].error;
		assert_int_equal(cmd_doctor_run(0, out), 0);
		assert_int_equal(world.lacked_netlink, cases[i].want);
		assert_int_equal(world.nr_open, 0);
		fclose(out);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_no_problem, begin),
		cmocka_unit_test_setup(test_a_problem_of_the_host, begin),
		cmocka_unit_test_setup(test_a_process, begin),
		cmocka_unit_test_setup(test_a_device_that_does_not_open, begin),
		cmocka_unit_test_setup(test_another_network_namespace, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
