// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/thread_snapshot.c
/* The module and its complaints are played by this file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "device/error_text.h"
#include "device/device.h"
#include "session/thread_snapshot.h"

static struct {
	uint32_t answers[4];	/* what next becomes */
	uint32_t asked[4];
	int nr_calls;
	int nr_drains;
	int error;	/* of the second call */
	int complained;
	int drain_result;
	int exec_id_error;
	int not_attached;
} world;

int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	assert_ptr_equal(d, &world);
	assert_int_equal(pid, 17);
	*exec_id = 5;
	return world.exec_id_error;
}

void device_error_print_attach(pid_t pid, int err)
{
	assert_int_equal(pid, 17);
	world.not_attached = err;
}

int device_threads(struct device *d, uint32_t *next)
{
	assert_ptr_equal(d, &world);
	world.asked[world.nr_calls] = *next;
	if (world.nr_calls == 1 && world.error)
		return world.error;
	*next = world.answers[world.nr_calls++];
	return 0;
}

void device_error_print_threads(int err)
{
	world.complained = err;
}

static int drain(void *ctx)
{
	assert_ptr_equal(ctx, &world.nr_drains);
	assert_int_equal(world.nr_calls, ++world.nr_drains);
	return world.drain_result;
}

static int take(void)
{
	return thread_snapshot_take((struct device *)&world, drain, &world.nr_drains);
}

/* The rings are read between the calls, and after the last. */
static void test_until_all_are_told(void **state)
{
	(void)state;
	world = (typeof(world)){ .answers = { 70, 900, 0 } };
	assert_int_equal(take(), 0);
	assert_int_equal(world.nr_calls, 3);
	assert_int_equal(world.nr_drains, 3);
	assert_int_equal(world.asked[0], 0);
	assert_int_equal(world.asked[1], 70);
	assert_int_equal(world.asked[2], 900);
	assert_int_equal(world.complained, 0);
}

static void test_errors(void **state)
{
	(void)state;
	world = (typeof(world)){ .answers = { 70 }, .error = -ENOMEM };
	assert_int_equal(take(), -1);
	assert_int_equal(world.complained, -ENOMEM);
	world = (typeof(world)){ .answers = { 70 }, .drain_result = -1 };
	assert_int_equal(take(), -1);
	assert_int_equal(world.nr_calls, 1);
	assert_int_equal(world.complained, 0);
}

static void assert_check(uint64_t exec_id, int error, int want)
{
	world = (typeof(world)){ .exec_id_error = error };
	assert_int_equal(thread_snapshot_check((struct device *)&world, 17, exec_id), want);
}

/* Of what a process has executed meanwhile there is nothing to tell. */
static void test_another_image(void **state)
{
	(void)state;
	assert_check(5, 0, 0);
	assert_check(4, -ESRCH, 0);
	assert_int_equal(world.complained, 0);
	assert_check(4, 0, -1);
	assert_int_equal(world.complained, -ESTALE);
	assert_check(4, -EACCES, -1);
	assert_int_equal(world.not_attached, -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_until_all_are_told),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_another_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
