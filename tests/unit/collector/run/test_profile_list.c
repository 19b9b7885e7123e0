// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/profile_list.c collector/aggregate/profile_types.c
/* The module and its complaints are played by this file. */
#include <errno.h>

#include "capture.h"
#include "device/device.h"
#include "device/error_text.h"
#include "run/profile_list.h"

#define HIDDEN_PID	0x7fffffff

static struct {
	pid_t pid;
	int open_error;
	int list_error;
	int nr_closed;
	int complained;
} world;

struct device *device_open(void)
{
	errno = world.open_error;
	return world.open_error ? NULL : (struct device *)&world;
}

void device_close(struct device *d)
{
	assert_ptr_equal(d, &world);
	world.nr_closed++;
}

int device_custom_list(struct device *d, pid_t pid, struct pprof_custom_name *names, uint32_t room)
{
	assert_ptr_equal(d, &world);
	assert_int_equal(pid, world.pid);
	assert_int_equal(room, PPROF_MAX_CUSTOM_PROFILES);
	names[0] = (struct pprof_custom_name){ .count = 4294967296, .name = "zeta" };
	names[1] = (struct pprof_custom_name){ .count = 3, .name = "conns" };
	return world.list_error ? world.list_error : 2;
}

void device_error_print_open(void)
{
	world.complained = errno;
}

void device_error_print_custom(pid_t pid, int err)
{
	assert_int_equal(pid, world.pid);
	world.complained = -err;
}

static int list(struct capture *out)
{
	int err;

	capture_begin(out, STDOUT_FILENO);
	err = profile_list_print(world.pid, stdout);
	capture_end(out);
	return err;
}

/* All in one order; this process has one thread. */
static void test_sorted(void **state)
{
	struct capture out;

	(void)state;
	world = (typeof(world)){ .pid = getpid() };
	assert_int_equal(list(&out), 0);
	if (strncmp(out.text, "allocs 0\nblock 0\nconns 3\ncpu 0\ngrowth 0\nheap 0\n", 47) ||
	    !strstr(out.text, "\nmutex 0\nthread 1\nthreadcreate 0\nwall 0\nzeta 4294967296\n"))
		fail_msg("%s", out.text);
	assert_null(strstr(out.text, "custom"));
	assert_int_equal(world.nr_closed, 1);
}

/* How many threads there are is not known, and not 0. */
static void test_hidden(void **state)
{
	struct capture out;

	(void)state;
	world = (typeof(world)){ .pid = HIDDEN_PID };
	assert_int_equal(list(&out), 0);
	assert_null(strstr(out.text, "\nthread "));
	assert_non_null(strstr(out.text, "\nmutex 0\nthreadcreate 0\n"));
}

static void test_errors(void **state)
{
	struct capture out;

	(void)state;
	world = (typeof(world)){ .pid = getpid(), .open_error = ENOENT };
	assert_int_equal(list(&out), -1);
	assert_int_equal(world.complained, ENOENT);
	world = (typeof(world)){ .pid = getpid(), .list_error = -EACCES };
	assert_int_equal(list(&out), -1);
	assert_int_equal(world.complained, EACCES);
	assert_int_equal(world.nr_closed, 1);
	assert_string_equal(out.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
