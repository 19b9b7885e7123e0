// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/cli/cmd_status.c collector/device/end_reason.c collector/base/utf8.c
// sources: collector/device/class_name.c
// libs:
/* This file simulates netlink: `sessions` has the sessions of the module. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/cmd_status.h"
#include "device/error_text.h"

static struct {
	const struct netlink_session *list;
	size_t nr;
	int open_error;
	int error;
} sessions;

struct netlink *netlink_open(void)
{
	errno = sessions.open_error;
	return sessions.open_error ? NULL : (struct netlink *)&sessions;
}

void netlink_close(struct netlink *n)
{
	(void)n;
}

int netlink_sessions(struct netlink *n, netlink_session_fn take, void *arg)
{
	(void)n;
	for (size_t i = 0; i < sessions.nr; i++)
		take(arg, &sessions.list[i]);
	return sessions.error;
}

void device_error_print_netlink(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, err == -ENOENT ? "not loaded" : "other");
}

static struct netlink_cpu cpus[] = {
	{
		.id = 0, .pending_bytes = 1000, .tick_ns = 14285714, .wall_tick_ns = 80000000,
		.produced = { 1000, 50, [PPROF_CLASS_EVENT] = 7 },
		.end_reasons = { { 900, [PPROF_END_FAULT] = 5 }, { [PPROF_END_NO_RULE] = 50 } },
	},
	{
		.id = 3, .pending_bytes = 24, .tick_ns = 28571428, .wall_tick_ns = 20000000,
		.produced = { 500, 0, [PPROF_CLASS_EVENT] = 9 },
		.lost = { [0] = { 12 }, [PPROF_CLASS_EVENT] = { 1, 2 } },
		.end_reasons = { { 400, [PPROF_END_FAULT] = 1, [15] = 2 } },
	},
};

static const struct netlink_session two[] = {
	{
		.id = 1, .flags = PPROF_SETUP_CHILDREN, .pid = 4242, .uid = 1000,
		.comm = "col\x1B[mlector", .nr_targets = 1, .sources = 7,
		.period_ns = 14285714, .wall_period_ns = 20000000,
		.ring_bytes = 512 << 10, .nr_cpus = 2, .cpus = cpus,
	},
	{ .id = 2, .flags = PPROF_SETUP_ALL, .comm = "x", .nr_targets = 5, .ring_bytes = 32 << 10 },
};

/* Runs status. Returns its output; *err_text is that on stderr. The caller frees both. */
static char *run(int *err, char **err_text)
{
	FILE *stderr_before = stderr;
	char *text = NULL;
	size_t len, err_len;
	FILE *out = open_memstream(&text, &len);

	stderr = open_memstream(err_text, &err_len);
	*err = cmd_status_run(out);
	fclose(stderr);
	stderr = stderr_before;
	fclose(out);
	return text;
}

static void assert_run(int want_err, const char *want_out, const char *want_stderr)
{
	char *err_text = NULL;
	int err;
	char *text = run(&err, &err_text);

	assert_int_equal(err, want_err);
	assert_string_equal(text, want_out);
	assert_string_equal(err_text, want_stderr);
	free(text);
	free(err_text);
}

static void test_a_session_of_a_cgroup(void **state)
{
	struct netlink_session session = {
		.id = 3, .flags = PPROF_SETUP_CGROUP, .comm = "x", .nr_targets = 2,
	};
	char *text, *err_text;
	int err;

	(void)state;
	memset(&sessions, 0, sizeof(sessions));
	sessions.list = &session;
	sessions.nr = 1;
	text = run(&err, &err_text);
	assert_int_equal(err, 0);
	assert_non_null(strstr(text, "\n  target   2 processes of a cgroup\n"));
	free(text);
	free(err_text);
}

static void test_run_prints_sessions(void **state)
{
	(void)state;
	memset(&sessions, 0, sizeof(sessions));
	sessions.list = two;
	sessions.nr = 2;
	assert_run(0,
		   "session 1: col\\x1b[mlector (pid 4242, uid 1000)\n"
		   "  target   1 process and its children\n"
		   "  sources  cpu at 70 Hz (overload: 35 Hz), threadcreate, "
		   "wall at 50 Hz (overload: 12.5 Hz)\n"
		   "  rings    2 of 512 KiB, 1024 bytes pending\n"
		   "  class            cpu        produced          lost\n"
		   "  cpu              all            1500            12  ring full 12\n"
		   "  cpu                3             500            12  ring full 12\n"
		   "  threadcreate     all              50             0\n"
		   "  wall             all               0             0\n"
		   "  event            all              16             3  ring full 1, mapping queue full 2\n"
		   "  event              3               9             3  ring full 1, mapping queue full 2\n"
		   "  stacks   cpu: 1300 complete, 6 stack not readable, 2 unknown reason\n"
		   "  stacks   threadcreate: 0 complete, 50 no unwind information\n"
		   "\n"
		   "session 2: x (pid 0, uid 0)\n"
		   "  target   all processes\n"
		   "  sources  none running\n"
		   "  rings    0 of 32 KiB, 0 bytes pending\n"
		   "  class            cpu        produced          lost\n"
		   "  event            all               0             0\n",
		   "");
}

/* Classes and reasons of a newer module are printed as numbers. */
static void test_print_shows_unknown_classes_and_reasons(void **state)
{
	struct netlink_cpu cpu = { .produced = { [9] = 8 }, .lost = { [9] = { [3] = 2 } } };
	struct netlink_session s = { .nr_cpus = 1, .cpus = &cpu, .nr_targets = 2 };
	const char *row = "  class 9          all               8             2  reason 3 2\n";
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	cmd_status_print(out, &s);
	fclose(out);
	assert_non_null(strstr(text, "  target   2 processes\n"));
	assert_non_null(strstr(text, row));
	free(text);
}

/* Each class has a name. Only mappings have a queue. */
static void test_print_names_all_classes(void **state)
{
	struct netlink_cpu cpu = { 0 };
	struct netlink_session s = { .nr_cpus = 1, .cpus = &cpu, .sources = (1 << 9) - 1 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	for (int class = 0; class < PPROF_NR_CLASSES; class++)
		cpu.lost[class][PPROF_LOST_QUEUE] = 1;
	for (int source = 0; source < PPROF_NR_SOURCES; source++)
		cpu.end_reasons[source][PPROF_END_COMPLETE] = 1;
	cmd_status_print(out, &s);
	fclose(out);
	assert_non_null(strstr(text, "thread, custom\n"));
	assert_null(strstr(text, "(null)"));
	assert_null(strstr(text, "class 7"));
	assert_non_null(strstr(text, "  custom           all               0             1  "
			       "too many at once 1\n"));
	assert_non_null(strstr(text, "  event            all               0             1  "
			       "mapping queue full 1\n"));
	assert_non_null(strstr(text, "  stacks   thread: 1 complete\n"));
	free(text);
}

static void test_run_says_that_there_are_none(void **state)
{
	(void)state;
	memset(&sessions, 0, sizeof(sessions));
	assert_run(0, "no sessions\n", "");
}

static void test_run_tells_errors(void **state)
{
	(void)state;
	memset(&sessions, 0, sizeof(sessions));
	sessions.open_error = ENOENT;
	assert_run(-ENOENT, "", "list sessions: not loaded\n");
	sessions.open_error = 0;
	sessions.error = -EIO;
	assert_run(-EIO, "", "list sessions: other\n");
}

static void test_run_warns_of_a_list_that_changed(void **state)
{
	char *err_text = NULL;
	int err;
	char *text;

	(void)state;
	memset(&sessions, 0, sizeof(sessions));
	sessions.list = two + 1;
	sessions.nr = 1;
	sessions.error = -EINTR;
	text = run(&err, &err_text);
	assert_int_equal(err, 0);
	assert_ptr_equal(strstr(text, "session 2"), text);
	assert_non_null(strstr(err_text, "incomplete"));
	free(text);
	free(err_text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_prints_sessions),
		cmocka_unit_test(test_a_session_of_a_cgroup),
		cmocka_unit_test(test_print_shows_unknown_classes_and_reasons),
		cmocka_unit_test(test_print_names_all_classes),
		cmocka_unit_test(test_run_says_that_there_are_none),
		cmocka_unit_test(test_run_tells_errors),
		cmocka_unit_test(test_run_warns_of_a_list_that_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
