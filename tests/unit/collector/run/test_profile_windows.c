// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/profile_windows.c collector/aggregate/profile_types.c
/*
 * All parts of the run are played by this file, with clocks in s. Each call leaves a word in
 * `calls`.
 */
#include <errno.h>
#include <sys/eventfd.h>

#include "aggregate/aggregator.h"
#include "capture.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "report/window_store.h"
#include "run/changed_files.h"
#include "run/profile_output.h"
#include "run/profile_push.h"
#include "run/profile_run.h"
#include "run/profile_windows.h"
#include "run/unused_files.h"
#include "run/window_writer.h"
#include "session/thread_snapshot.h"

#define S	UINT64_C(1000000000)
#define OFFSET	(1000 * S)	/* of the clock of records */

static struct {
	char calls[512];
	int fail_flush, fail_start, fail_snapshot, fail_writer, fail_add;
	bool is_done;		/* the child has ended */
} world;

static int ready_fd;	/* readable always */

static struct settings settings;
static struct profile_run run;

static void called(const char *word, uint64_t number)
{
	size_t len = strlen(world.calls);

	snprintf(world.calls + len, sizeof(world.calls) - len, number ? "%s%s%lu" : "%s%s",
		 len ? " " : "", word, (unsigned long)number);
}

static int drain(void *r)
{
	assert_ptr_equal(r, &run);
	return 0;
}

void aggregator_cut(struct aggregator *c, uint64_t cut_ns)
{
	(void)c;
	called("cut", cut_ns == UINT64_MAX ? 0 : (cut_ns - OFFSET) / S);
}

int aggregator_flush(struct aggregator *c)
{
	(void)c;
	called("flush", 0);
	return world.fail_flush;
}

bool mapped_files_are_many(const struct mapped_files *f)
{
	(void)f;
	return true;
}

int aggregator_compact(struct aggregator *c, bool is_due)
{
	(void)c;
	assert_true(is_due);
	called("compact", 0);
	return 0;
}

int changed_files_update(struct profile_run *r)
{
	assert_ptr_equal(r, &run);
	called("changed", 0);
	return 0;
}

int unused_files_remove(struct profile_run *r)
{
	assert_ptr_equal(r, &run);
	called("remove", 0);
	return 0;
}

void aggregator_reset(struct aggregator *c)
{
	(void)c;
	called("reset", 0);
}

struct aggregator_counts aggregator_total(const struct aggregator *c, uint32_t source)
{
	(void)c;
	(void)source;
	return (struct aggregator_counts){ .consumed = 50, .ignored = 8 };
}

uint64_t device_nr_lost(const struct device *d, uint32_t class)
{
	(void)d;
	(void)class;
	return 3;
}

uint64_t time_span_cut(struct time_span *d, uint64_t end_ns)
{
	d->ns = end_ns - d->begin_ns;
	return end_ns + OFFSET;
}

void time_span_next(struct time_span *d)
{
	d->begin_ns += d->ns;
	d->ns = 0;
}

void profile_run_count(struct profile_run *r)
{
	(void)r;
	called("count", 0);
}

void profile_run_count_again(struct profile_run *r)
{
	(void)r;
	called("again", 0);
}

const struct profile_type *profile_output_type(const struct profile_run *r, uint32_t profile_type)
{
	(void)r;
	return profile_types_get(profile_type, false);
}

void profile_output_warn(const struct profile_run *r)
{
	(void)r;
	called("warn", 0);
}

void processes_find_perfmaps(struct processes *p)
{
	(void)p;
}

int thread_snapshot_take(struct device *d, int (*drain_)(void *ctx), void *ctx)
{
	(void)d;
	assert_int_equal(drain_(ctx), 0);
	called("snapshot", 0);
	return world.fail_snapshot;
}

int window_store_add(struct window_store *s, const char *path)
{
	(void)s;
	called(path, 0);
	return world.fail_add;
}

void profile_push_add(struct profile_push *p, const struct profile_push_file *file)
{
	assert_ptr_equal(p, run.push);
	assert_string_equal(file->path, "<file>");
	assert_string_equal(file->type, "cpu");
	assert_int_equal(file->time_ns, run.span.time_ns);
	called("push", file->pid);
}

void window_store_trim(struct window_store *s, int64_t now_ns)
{
	(void)s;
	assert_true(now_ns > 0);
	called("trim", 0);
}

int window_writer_start(struct window_writer *w, struct profile_run *r)
{
	assert_int_equal(w->pid, 0);
	called("write", r->span.begin_ns / S * 100 + r->span.ns / S);
	if (world.fail_start)
		return world.fail_start;
	w->pid = 1;
	w->fd = ready_fd;
	return 0;
}

int window_writer_read(struct window_writer *w, struct profile_run *r, window_writer_fn take)
{
	const struct window_file file = { .path = "<file>", .span = &run.span, .pid = 7 };

	if (!w->pid || !world.is_done)
		return 0;
	take(r, &file);
	w->pid = 0;
	return world.fail_writer;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	settings = (struct settings){ .profile_types = 1U << PROFILE_TYPE_CPU, .every_ns = 10 * S,
				      .dir = "<folder>" };
	run = (struct profile_run){ .settings = &settings, .span.begin_ns = 5 * S };
	return 0;
}

static void step(uint64_t now)
{
	assert_int_equal(profile_windows_step(&run, now, drain), 0);
}

/* A window is closed 1 ms after its end. What the child sends is read in any step. */
static void test_windows(void **state)
{
	(void)state;
	profile_windows_begin(&run, drain);
	assert_string_equal(world.calls, "cut15");
	assert_int_equal(profile_windows_due_ns(&run), 15 * S + 1000000);
	step(15 * S + 999999);
	assert_string_equal(world.calls, "cut15");
	step(15 * S + 1000000);
	assert_string_equal(world.calls,
			    "cut15 flush compact changed remove count write510 reset again cut25");
	world.calls[0] = 0;
	world.is_done = true;
	step(16 * S);
	assert_string_equal(world.calls, "<file> push7 trim");
	world.calls[0] = 0;
	step(28 * S);
	assert_string_equal(world.calls, "flush compact changed remove count write1510 reset again cut35");
	assert_int_equal(run.nr_failed_windows, 0);
}

/* The child has named a file that it may not write. */
static void test_a_file_of_another(void **state)
{
	(void)state;
	profile_windows_begin(&run, drain);
	step(16 * S);
	world.calls[0] = 0;
	world.is_done = true;
	world.fail_add = -EINVAL;
	step(17 * S);
	assert_string_equal(world.calls, "<file> trim");
}

/* While a child is busy, the window goes on. */
static void test_a_late_child(void **state)
{
	(void)state;
	profile_windows_begin(&run, drain);
	step(16 * S);
	world.calls[0] = 0;
	step(26 * S);
	step(36 * S);
	assert_string_equal(world.calls, "cut35 cut45");
	world.calls[0] = 0;
	world.is_done = true;
	step(46 * S);
	assert_string_equal(world.calls,
			    "<file> push7 trim flush compact changed remove count write1530 reset again cut55");
	assert_int_equal(run.nr_windows, 2);
}

static void test_failures(void **state)
{
	struct capture c;

	(void)state;
	profile_windows_begin(&run, drain);
	world.fail_start = -EAGAIN;
	capture_begin(&c, STDERR_FILENO);
	step(16 * S);
	assert_sentence(capture_end(&c), "a window of 10.0 s is lost: cannot start a process: Res");
	world.fail_start = 0;
	step(26 * S);
	world.is_done = true;
	world.fail_writer = -1;
	step(27 * S);
	assert_int_equal(run.nr_windows, 2);
	assert_int_equal(run.nr_failed_windows, 2);
	world.fail_flush = -ENOMEM;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_windows_step(&run, 36 * S, drain), -1);
	assert_sentence(capture_end(&c), "cannot count the samples: out of memory");
}

/* A snapshot that fails spoils its window, and no other. */
static void test_snapshots(void **state)
{
	(void)state;
	settings.profile_types = 1U << PROFILE_TYPE_THREAD;
	world.fail_snapshot = -1;
	profile_windows_begin(&run, drain);
	assert_int_equal(run.failed, 1U << PPROF_SOURCE_THREAD);
	world.fail_snapshot = 0;
	step(16 * S);
	assert_int_equal(run.failed, 0);
	assert_string_equal(world.calls, "cut15 snapshot flush compact changed remove count write510 reset again "
					 "cut25 snapshot");
}

static void test_results(void **state)
{
	struct capture c;

	(void)state;
	profile_windows_begin(&run, drain);
	step(16 * S);
	world.calls[0] = 0;
	profile_windows_end(&run);
	world.is_done = true;
	run.span.ns = 2 * S;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_windows_results(&run), 0);
	capture_end(&c);
	assert_string_equal(world.calls, "cut <file> push7 trim flush compact changed remove count write1502 <file> push7 trim "
					 "warn");
	assert_string_equal(c.text, "cpu: 45 samples, 3 lost\n2 windows, 2 files in <folder>\n");
	begin(NULL);
	settings.quiet = true;
	world.fail_writer = -1;
	world.is_done = true;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_windows_results(&run), -1);
	assert_sentence(capture_end(&c), "1 of 1 windows have no complete files");
}

#define TEST(fn)	cmocka_unit_test_setup(fn, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_windows),
		TEST(test_a_file_of_another),
		TEST(test_a_late_child),
		TEST(test_failures),
		TEST(test_snapshots),
		TEST(test_results),
	};

	ready_fd = eventfd(1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
