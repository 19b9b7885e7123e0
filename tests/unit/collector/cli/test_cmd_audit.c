// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/end_reason.c collector/cli/cmd_audit.c collector/base/json.c
// sources: collector/base/utf8.c collector/procfs/time_namespace.c
// libs:
/* This file simulates netlink: `arriving` has the messages. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/cmd_audit.h"
#include "device/error_text.h"

#define WALL_NS		1700000000000000000ULL	/* 2023-11-14 22:13:20 UTC */
#define MAX_ARRIVING	4

static struct {
	struct netlink_thread threads[MAX_ARRIVING];
	unsigned int nr;
	unsigned int nr_taken;
	bool for_ever;
	int open_error;
	int listen_error;
	int receive_error;
	int flush_error;
	uint64_t seqs[2];	/* of the last creation, at the start and at the end */
	unsigned int nr_flushes;
	bool stacks_wanted;
	int fd;
} arriving;

struct netlink *netlink_open(void)
{
	errno = arriving.open_error;
	return arriving.open_error ? NULL : (struct netlink *)&arriving;
}

void netlink_close(struct netlink *n)
{
	(void)n;
}

int netlink_listen(struct netlink *n, bool stacks)
{
	(void)n;
	arriving.stacks_wanted = stacks;
	return arriving.listen_error;
}

int netlink_fd(const struct netlink *n)
{
	(void)n;
	return arriving.fd;
}

/* Returns one message a call: the audit must call it again. */
int netlink_receive(struct netlink *n, netlink_thread_fn take, void *arg)
{
	(void)n;
	if (arriving.receive_error)
		return arriving.receive_error;
	if (arriving.nr_taken == arriving.nr)
		return 0;
	take(arg, &arriving.threads[arriving.nr_taken]);
	if (!arriving.for_ever)
		arriving.nr_taken++;
	return 1;
}

int netlink_flush(struct netlink *n, uint64_t *seq)
{
	(void)n;
	assert_true(arriving.nr_flushes < 2);
	*seq = arriving.seqs[arriving.nr_flushes++];
	return arriving.flush_error;
}

void device_error_print_netlink(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, err == -EPERM ? "not permitted" : "other");
}

static struct netlink_thread thread(uint64_t seq, uint32_t pid, const char *comm)
{
	struct netlink_thread t = {
		.seq = seq, .time_ns = 123456789, .exec_id = 77, .pid = pid, .tid = pid + 1,
		.uid = 1000, .new_tid = pid + 2,
	};

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	return t;
}

/* Returns the output of an audit for these threads. The caller frees it. */
static char *print(const struct audit_config *config, const struct netlink_thread *threads,
		   size_t nr)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct audit *a = audit_new(config, out, WALL_NS);

	assert_non_null(out);
	assert_non_null(a);
	for (size_t i = 0; i < nr; i++)
		audit_take(a, &threads[i]);
	audit_free(a);
	fclose(out);
	return text;
}

static void assert_printed(const struct audit_config *config, const struct netlink_thread *threads,
			   size_t nr, const char *want)
{
	char *text = print(config, threads, nr);

	assert_string_equal(text, want);
	free(text);
}

/* Text is in local time, JSON in UTC: two hours apart here. */
static void test_text_is_one_line_a_thread(void **state)
{
	const struct netlink_thread threads[] = {
		thread(0, 10, "nginx"), thread(1, 1234567, "a b\x1B[2J\xFF"),
	};
	const struct audit_config config = { 0 };

	(void)state;
	assert_printed(&config, threads, 2,
		       "2023-11-15 00:13:20.123456       10       11       12    1000  nginx\n"
		       "2023-11-15 00:13:20.123456  1234567  1234568  1234569    1000  a b\\x1b[2J\\xff\n");
}

static void test_json_is_one_object_a_thread(void **state)
{
	const struct netlink_thread threads[] = { thread(5, 10, "a\"\n\xFF") };
	const struct audit_config config = { .json = true };

	(void)state;
	assert_printed(&config, threads, 1,
		       "{\"time\":\"2023-11-14T22:13:20.123456789Z\",\"time_ns\":123456789,\"seq\":5,"
		       "\"pid\":10,\"tid\":11,\"uid\":1000,\"new_tid\":12,\"exec_id\":77,"
		       "\"comm\":\"a\\\"\\u000a\xEF\xBF\xBD\"}\n");
}

/* Names the leaf by two functions, one of them inlined. Other addresses have no name. */
static int name_stack(void *ctx, pid_t pid, uint64_t exec_id, const uint64_t *addresses,
		      uint32_t nr, struct audit_frame *out, uint32_t max)
{
	unsigned int *calls = ctx;

	++*calls;
	assert_int_equal(pid, 10);
	assert_int_equal(exec_id, 77);
	assert_int_equal(nr, 2);
	assert_true(max >= PPROF_MAX_FRAMES);
	out[0] = (struct audit_frame){ addresses[0], "in\x1Bner", "/src/a b.c", 7 };
	out[1] = (struct audit_frame){ addresses[0], "outer", "/src/c.c", 0 };
	out[2] = (struct audit_frame){ .address = addresses[1] };
	return 3;
}

static int name_nothing(void *ctx, pid_t pid, uint64_t exec_id, const uint64_t *addresses,
			uint32_t nr, struct audit_frame *out, uint32_t max)
{
	(void)ctx;
	(void)pid;
	(void)exec_id;
	(void)addresses;
	(void)nr;
	memset(out, 0xFF, max * sizeof(*out));
	return -ESRCH;
}

static struct netlink_thread thread_with_stack(uint32_t end)
{
	struct netlink_thread t = thread(0, 10, "x");

	t.nr_frames = 2;
	t.frames[0] = 0x401234;
	t.frames[1] = 0x7fff12345678;
	t.end_reason = end;
	return t;
}

#define TEXT_LINE	"2023-11-15 00:13:20.123456       10       11       12    1000  x\n"
#define JSON_LINE	"{\"time\":\"2023-11-14T22:13:20.123456789Z\",\"time_ns\":123456789,\"seq\":0," \
			"\"pid\":10,\"tid\":11,\"uid\":1000,\"new_tid\":12,\"exec_id\":77," \
			"\"comm\":\"x\""

static void test_stack_is_named(void **state)
{
	const struct netlink_thread t = thread_with_stack(PPROF_END_COMPLETE);
	unsigned int calls = 0;
	struct audit_config config = {
		.stacks = true, .name_stack = name_stack, .name_ctx = &calls,
	};

	(void)state;
	assert_printed(&config, &t, 1,
		       TEXT_LINE "        0x0000000000401234  in\\x1bner  /src/a b.c:7\n"
		       "        0x0000000000401234  outer  /src/c.c\n"
		       "        0x00007fff12345678\n");
	config.json = true;
	assert_printed(&config, &t, 1,
		       JSON_LINE ",\"stack\":["
		       "{\"address\":\"0x401234\",\"function\":\"in\\u001bner\",\"file\":\"/src/a b.c\",\"line\":7},"
		       "{\"address\":\"0x401234\",\"function\":\"outer\",\"file\":\"/src/c.c\"},"
		       "{\"address\":\"0x7fff12345678\"}]}\n");
	config.stacks = false;
	assert_printed(&config, &t, 1, JSON_LINE "}\n");
	assert_int_equal(calls, 2);
}

static void test_stack_without_names_is_addresses(void **state)
{
	const struct netlink_thread t = thread_with_stack(PPROF_END_COMPLETE);
	struct audit_config config = { .stacks = true };
	const char *want = TEXT_LINE "        0x0000000000401234\n        0x00007fff12345678\n";

	(void)state;
	assert_printed(&config, &t, 1, want);
	config.name_stack = name_nothing;
	assert_printed(&config, &t, 1, want);
}

static void test_stack_tells_why_it_ends(void **state)
{
	struct netlink_thread t = thread_with_stack(PPROF_END_NO_USER);
	struct audit_config config = { .stacks = true };

	(void)state;
	t.nr_frames = 0;
	assert_printed(&config, &t, 1, TEXT_LINE "        [truncated: no user stack]\n");
	config.json = true;
	t.end_reason = PPROF_END_FAULT;
	assert_printed(&config, &t, 1,
		       JSON_LINE ",\"stack\":[],\"truncated\":\"stack not readable\"}\n");
	t.end_reason = PPROF_NR_END_REASONS;
	assert_printed(&config, &t, 1, JSON_LINE ",\"stack\":[],\"truncated\":\"unknown reason\"}\n");
	config.stacks = false;
	assert_printed(&config, &t, 1, JSON_LINE "}\n");
}

/* In want, "t" is the line of a thread, and a number is that of missed creations. */
static void assert_shape(const struct audit_config *config, const struct netlink_thread *threads,
			 size_t nr, const char *want)
{
	char *text = print(config, threads, nr);
	char shape[64] = "";
	char *rest = text;
	char *line;

	while ((line = strsep(&rest, "\n")) && *line) {
		if (strncmp(line, "missed ", 7))
			strcat(shape, "t");
		else
			strcat(shape, line + 7);
	}
	assert_string_equal(shape, want);
	free(text);
}

static void test_gap_is_told_where_it_is(void **state)
{
	const struct netlink_thread threads[] = {
		thread(100, 1, "x"), thread(101, 1, "x"), thread(105, 1, "x"),
		thread(106, 1, "x"), thread(108, 1, "x"),
	};
	const struct audit_config config = { 0 };

	(void)state;
	assert_shape(&config, threads, 5, "tt3t" "t1t");
}

static void test_gap_does_not_come_of_a_restart(void **state)
{
	const struct netlink_thread threads[] = {
		thread(100, 1, "x"), thread(0, 1, "x"), thread(2, 1, "x"), thread(2, 1, "x"),
		thread(3, 1, "x"), thread(UINT64_MAX, 1, "x"), thread(0, 1, "x"),
	};
	const struct audit_config config = { 0 };

	(void)state;
	assert_shape(&config, threads, 4, "tt1tt");
	assert_shape(&config, threads + 4, 3, "t18446744073709551611tt");
}

static void test_gap_is_an_object_in_json(void **state)
{
	const struct netlink_thread threads[] = { thread(0, 10, "y"), thread(9, 10, "y") };
	const struct audit_config config = { .json = true, .pid = 11 };

	(void)state;
	assert_printed(&config, threads, 2, "{\"missed\":8}\n");
}

/* Threads that a filter drops do not count as missed. */
static void test_filter_comes_after_gaps(void **state)
{
	const struct netlink_thread threads[] = {
		thread(0, 1, "a"), thread(1, 2, "a"), thread(2, 1, "a"), thread(4, 2, "a"),
	};
	const struct audit_config config = { .pid = 1 };

	(void)state;
	assert_shape(&config, threads, 3, "tt");
	assert_shape(&config, threads, 4, "tt1");
}

static void test_filter_takes_the_whole_name(void **state)
{
	const struct netlink_thread threads[] = {
		thread(0, 1, "nginx"), thread(1, 1, "nginx-x"), thread(2, 1, "ngin"),
		thread(3, 1, "gnome-terminal-"), thread(4, 1, ""),
	};
	struct audit_config config = { .comm = "nginx" };

	(void)state;
	assert_shape(&config, threads, 5, "t");
	config.pid = 2;
	assert_shape(&config, threads, 5, "");
	config.pid = 0;
	config.comm = "gnome-terminal-server";
	assert_shape(&config, threads, 5, "t");
	config.comm = "gnome-terminal";
	assert_shape(&config, threads, 5, "");
}

struct result {
	int err;
	char *out;
	char *err_text;
};

/* Runs an audit until stop_fd is readable or the duration is over. */
static struct result run(const struct audit_config *config, int stop_fd)
{
	FILE *stderr_before = stderr;
	struct result r = { 0 };
	size_t len, err_len;
	FILE *out = open_memstream(&r.out, &len);

	arriving.fd = eventfd(1, 0);
	stderr = open_memstream(&r.err_text, &err_len);
	r.err = cmd_audit_run(config, out, stop_fd);
	fclose(stderr);
	stderr = stderr_before;
	fclose(out);
	close(arriving.fd);
	return r;
}

static void result_fini(struct result *r)
{
	free(r->out);
	free(r->err_text);
}

static unsigned int count_lines(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void test_run_takes_what_came_before_the_stop(void **state)
{
	const struct audit_config config = { .stacks = true };
	int stop_fd = eventfd(1, 0);
	struct result r;

	(void)state;
	memset(&arriving, 0, sizeof(arriving));
	arriving.nr = 3;
	arriving.threads[0] = thread(0, 1, "a");
	arriving.threads[1] = thread(1, 1, "a");
	arriving.threads[2] = thread(4, 1, "a");
	arriving.seqs[1] = 4;
	r = run(&config, stop_fd);
	assert_int_equal(r.err, 0);
	assert_true(arriving.stacks_wanted);
	assert_ptr_equal(strstr(r.out, "TIME "), r.out);
	assert_int_equal(count_lines(r.out), 1 + 3 + 1);
	assert_string_equal(r.err_text, "pprof-collect: 3 thread creations, 2 missed\n");
	result_fini(&r);
	close(stop_fd);
}

static void test_run_tells_what_never_came(void **state)
{
	const struct audit_config config = { .json = true };
	int stop_fd = eventfd(1, 0);
	struct result r;

	(void)state;
	memset(&arriving, 0, sizeof(arriving));
	arriving.seqs[0] = 7;
	arriving.seqs[1] = 9;
	r = run(&config, stop_fd);
	assert_string_equal(r.out, "{\"missed\":2}\n");
	assert_string_equal(r.err_text, "pprof-collect: 0 thread creations, 2 missed\n");
	result_fini(&r);
	memset(&arriving, 0, sizeof(arriving));
	arriving.seqs[0] = 7;
	arriving.seqs[1] = 7;
	r = run(&config, stop_fd);
	assert_string_equal(r.out, "");
	result_fini(&r);
	close(stop_fd);
}

/* A message is always waiting. The run must end nevertheless, by a signal and by the duration. */
static void test_run_ends_in_a_storm(void **state)
{
	struct audit_config config = { .json = true };
	int stop_fd = eventfd(1, 0);
	struct result r;

	(void)state;
	memset(&arriving, 0, sizeof(arriving));
	arriving.nr = 1;
	arriving.for_ever = true;
	arriving.threads[0] = thread(1, 1, "a");
	arriving.seqs[1] = 1;
	r = run(&config, stop_fd);
	assert_int_equal(r.err, 0);
	assert_int_equal(count_lines(r.out), 2);
	result_fini(&r);
	config.duration_ns = 1;
	arriving.nr_flushes = 0;
	r = run(&config, -1);
	assert_int_equal(r.err, 0);
	assert_true(count_lines(r.out) >= 1);
	result_fini(&r);
	close(stop_fd);
}

static void assert_fails(int want_err, const char *want_stderr)
{
	const struct audit_config config = { .duration_ns = 1 };
	struct result r;

	arriving.nr_flushes = 0;
	r = run(&config, -1);

	assert_int_equal(r.err, want_err);
	assert_string_equal(r.err_text, want_stderr);
	result_fini(&r);
}

static void test_run_tells_errors(void **state)
{
	(void)state;
	memset(&arriving, 0, sizeof(arriving));
	arriving.open_error = ENOENT;
	assert_fails(-ENOENT, "follow thread creations: other\n");
	arriving.open_error = 0;
	arriving.listen_error = -EPERM;
	assert_fails(-EPERM, "follow thread creations: not permitted\n");
	arriving.listen_error = 0;
	arriving.flush_error = -EPERM;
	assert_fails(-EPERM, "follow thread creations: not permitted\n");
	arriving.flush_error = 0;
	arriving.receive_error = -EIO;
	assert_fails(-EIO, "follow thread creations: other\n");
}

static void test_run_ends_when_the_disk_is_full(void **state)
{
	const struct audit_config config = { .json = true };
	FILE *stderr_before = stderr;
	FILE *full = fopen("/dev/full", "w");
	char *err_text = NULL;
	size_t len;
	int err;

	(void)state;
	assert_non_null(full);
	memset(&arriving, 0, sizeof(arriving));
	arriving.nr = 1;
	arriving.for_ever = true;
	arriving.threads[0] = thread(0, 1, "a");
	arriving.fd = eventfd(1, 0);
	stderr = open_memstream(&err_text, &len);
	err = cmd_audit_run(&config, full, -1);
	fclose(stderr);
	stderr = stderr_before;
	assert_int_equal(err, -ENOSPC);
	assert_string_equal(err_text,
			    "pprof-collect: cannot write the audit: No space left on device: "
			    "check its disk or pipe\n");
	free(err_text);
	fclose(full);
	close(arriving.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_one_line_a_thread),
		cmocka_unit_test(test_json_is_one_object_a_thread),
		cmocka_unit_test(test_stack_is_named),
		cmocka_unit_test(test_stack_without_names_is_addresses),
		cmocka_unit_test(test_stack_tells_why_it_ends),
		cmocka_unit_test(test_gap_is_told_where_it_is),
		cmocka_unit_test(test_gap_does_not_come_of_a_restart),
		cmocka_unit_test(test_gap_is_an_object_in_json),
		cmocka_unit_test(test_filter_comes_after_gaps),
		cmocka_unit_test(test_filter_takes_the_whole_name),
		cmocka_unit_test(test_run_takes_what_came_before_the_stop),
		cmocka_unit_test(test_run_tells_what_never_came),
		cmocka_unit_test(test_run_ends_in_a_storm),
		cmocka_unit_test(test_run_tells_errors),
		cmocka_unit_test(test_run_ends_when_the_disk_is_full),
	};

	setenv("TZ", "TST-2", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
