// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/profile_loop.c collector/session/settings.c
// sources: collector/aggregate/profile_types.c
/* All parts of the run are played by this file. Each call leaves a letter in `calls`. */
#include <errno.h>
#include <sys/eventfd.h>
#include <time.h>

#include "aggregate/aggregator.h"
#include "capture.h"
#include "device/device.h"
#include "process/command.h"
#include "process/processes.h"
#include "run/changed_files.h"
#include "run/profile_loop.h"
#include "run/profile_run.h"
#include "run/profile_windows.h"
#include "session/custom_profile.h"
#include "session/sources.h"
#include "session/thread_snapshot.h"
#include "session/unwind_tables.h"

static struct {
	char calls[64];
	int nr_drains, nr_polls, nr_searches;
	int fail_drain;		/* number of the drain that fails */
	int nr_windows;
	int fail_start, fail_go, fail_snapshot;
	unsigned int fail_stop;
	int nr_drains_added;	/* nr_drains when the counters were added to those of a server */
	int nr_drains_counted;	/* nr_drains when the counters were read */
	int device_fd, program_fd, tables_fd;
} world;

static struct settings settings;
static struct profile_run run;

static void called(char letter)
{
	size_t len = strlen(world.calls);

	assert_true(len + 1 < sizeof(world.calls));
	world.calls[len] = letter;
}

void session_totals_add(struct session_totals *t, struct session_totals *before,
			const struct aggregator *a, const struct device *d)
{
	assert_ptr_equal(t, settings.totals);
	assert_ptr_equal(before, &run.added);
	(void)a;
	(void)d;
	world.nr_drains_added = world.nr_drains;
}

int sources_start(struct device *d, const struct settings *s)
{
	(void)d;
	assert_ptr_equal(s, &settings);
	called('s');
	return world.fail_start;
}

unsigned int sources_stop(struct device *d, const struct settings *s, const struct sources_end *e)
{
	(void)d;
	(void)s;
	called('S');
	e->ended(e->ctx);
	return world.fail_stop;
}

bool sources_need_no_hooks(const struct settings *s)
{
	(void)s;
	return false;
}

void aggregator_begin(struct aggregator *c, uint64_t begin_ns)
{
	(void)c;
	assert_int_equal(begin_ns, 5);
	called('b');
}

void aggregator_end(struct aggregator *c, uint64_t end_ns)
{
	(void)c;
	assert_int_equal(end_ns, 6);
	called('e');
}

int aggregator_drain(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings)
{
	(void)c;
	(void)rings;
	(void)nr_rings;
	return ++world.nr_drains == world.fail_drain ? -ENOMEM : 0;
}

struct aggregator_counts aggregator_total(const struct aggregator *c, uint32_t source)
{
	(void)c;
	(void)source;
	return (struct aggregator_counts){ 0 };
}

void profile_windows_begin(struct profile_run *r, int (*drain)(void *run))
{
	called('w');
	assert_int_equal(drain(r), 0);
}

/* Each step is due at once, and the third one fails. */
int profile_windows_step(struct profile_run *r, uint64_t now, int (*drain)(void *run))
{
	(void)drain;
	assert_true(now >= r->begin_ns);
	called('W');
	return ++world.nr_windows == 3 ? -1 : 0;
}

uint64_t profile_windows_due_ns(const struct profile_run *r)
{
	return r->begin_ns;
}

void profile_windows_end(struct profile_run *r)
{
	(void)r;
	called('E');
}

uint64_t time_span_begin(struct time_span *d, uint64_t begin_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	d->begin_ns = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	return begin_ns;
}

uint64_t time_span_end(struct time_span *d, uint64_t end_ns)
{
	(void)d;
	return end_ns;
}

uint64_t device_wall_begin_ns(const struct device *d)
{
	(void)d;
	return 5;
}

uint64_t device_wall_end_ns(const struct device *d)
{
	(void)d;
	return 6;
}

void device_end_losses(struct device *d)
{
	(void)d;
	called('l');
}

uint64_t device_nr_lost(const struct device *d, uint32_t class)
{
	(void)d;
	(void)class;
	return 0;
}

uint32_t device_nr_rings(const struct device *d)
{
	(void)d;
	return 0;
}

int device_fd(const struct device *d)
{
	(void)d;
	return world.device_fd;
}

int command_fd(const struct command *p)
{
	(void)p;
	return world.program_fd;
}

int command_go(struct command *p)
{
	(void)p;
	called('g');
	return world.fail_go;
}

int unwind_tables_fd(const struct unwind_tables *t)
{
	(void)t;
	return world.tables_fd;
}

void unwind_tables_calm(struct unwind_tables *t)
{
	eventfd_t count;

	(void)t;
	called('c');
	eventfd_read(world.tables_fd, &count);
}

int changed_files_poll(struct profile_run *r)
{
	assert_non_null(r);
	world.nr_searches++;
	return 0;
}

void processes_poll_perfmaps(struct processes *p)
{
	(void)p;
	world.nr_polls++;
}

void processes_find_perfmaps(struct processes *p)
{
	(void)p;
	called('p');
}

int thread_snapshot_take(struct device *d, int (*drain)(void *ctx), void *ctx)
{
	(void)d;
	(void)drain;
	assert_ptr_equal(ctx, &run);
	called('t');
	return world.fail_snapshot;
}

int thread_snapshot_check(struct device *d, pid_t pid, uint64_t exec_id)
{
	(void)d;
	(void)pid;
	(void)exec_id;
	return 0;
}

int custom_profile_take(struct device *d, const struct custom_profile_id *profile,
			struct aggregator *aggregator, struct stop *stop)
{
	(void)d;
	(void)aggregator;
	(void)stop;
	assert_string_equal(profile->name, "conns");
	called('k');
	return world.fail_snapshot;
}

int stop_take(struct stop *s)
{
	eventfd_t count;

	called('x');
	return eventfd_read(s->fd, &count);
}

bool progress_is_due(const struct progress *p, uint64_t now_ns)
{
	(void)p;
	(void)now_ns;
	return false;
}

void progress_show(struct progress *p, uint64_t now_ns, uint64_t begin_ns, uint64_t samples,
		   uint64_t lost)
{
	(void)p;
	(void)now_ns;
	(void)begin_ns;
	(void)samples;
	(void)lost;
}

void progress_clear(const struct progress *p)
{
	(void)p;
}

pid_t profile_run_pid(const struct profile_run *r)
{
	(void)r;
	return 12;
}

int profile_run_update_ranges(struct profile_run *r)
{
	(void)r;
	return 0;
}

void profile_run_count(struct profile_run *r)
{
	assert_ptr_equal(r, &run);
	world.nr_drains_counted = world.nr_drains;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.device_fd = -1;
	world.program_fd = -1;
	world.tables_fd = eventfd(0, EFD_NONBLOCK);
	settings = (struct settings){ .profile_types = 1U << PROFILE_TYPE_CPU };
	run = (struct profile_run){ .settings = &settings, .stop.fd = eventfd(0, EFD_NONBLOCK) };
	return 0;
}

static int end(void **state)
{
	(void)state;
	close(run.stop.fd);
	close(world.tables_fd);
	return 0;
}

/* The order of the calls; after the last drain the counters are read. */
static void test_duration(void **state)
{
	(void)state;
	settings.duration_ns = 1000000;
	settings.totals = &(struct session_totals){ 0 };
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbSel");
	assert_int_equal(world.nr_drains_added, world.nr_drains);
	assert_int_equal(world.nr_drains_counted, world.nr_drains);
	assert_true(world.nr_drains >= 2);
	assert_int_equal(world.nr_polls, world.nr_drains);
	assert_int_equal(world.nr_searches, world.nr_drains);
	assert_int_equal(run.failed, 0);
}

static void test_signal(void **state)
{
	(void)state;
	eventfd_write(run.stop.fd, 1);
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbxSel");
}

/* The pipe without a writer has POLLHUP, as the device has without a target. */
static void test_no_target_left(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[1]);
	world.device_fd = fds[0];
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbSel");
	close(fds[0]);
}

/* The program is released after the sources have started. */
static void test_program(void **state)
{
	(void)state;
	run.program = (struct command *)&world;
	world.program_fd = eventfd(1, 0);
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbgSel");
	close(world.program_fd);
}

static int take_request(struct profile_run *r)
{
	uint64_t nr;

	assert_ptr_equal(r, &run);
	assert_true(world.nr_drains > 0);	/* what is in the rings counts */
	called('r');
	eventfd_read(r->request_fd, &nr);
	eventfd_write(run.stop.fd, 1);
	return world.fail_go;
}

/* A request is taken after a drain, and the run goes on. */
static void test_request(void **state)
{
	(void)state;
	run.on_request = take_request;
	run.request_fd = eventfd(1, EFD_NONBLOCK);
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbrxSel");
	close(run.request_fd);
}

static void test_request_that_fails(void **state)
{
	(void)state;
	world.fail_go = -1;
	run.on_request = take_request;
	run.request_fd = eventfd(1, EFD_NONBLOCK);
	assert_int_equal(profile_loop(&run), -1);
	close(run.request_fd);
}

static void test_program_that_is_none(void **state)
{
	char *argv[2] = { (char *)"/no/such", NULL };
	struct capture c;

	(void)state;
	run.program = (struct command *)&world;
	settings.program = argv;
	world.fail_go = -ENOENT;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_loop(&run), -1);
	assert_sentence(capture_end(&c), "cannot run '/no/such': No such file or directory: name a");
	assert_string_equal(world.calls, "sbg");
}

static void test_a_table_is_ready(void **state)
{
	(void)state;
	run.tables = (struct unwind_tables *)&world;
	eventfd_write(world.tables_fd, 1);
	settings.duration_ns = 1000000;
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbcSel");
}

/* Snapshots are taken before the sources stop. A failed one is a bit in r->failed. */
static void test_snapshots(void **state)
{
	(void)state;
	settings.profile_types = 1U << PROFILE_TYPE_THREAD;
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbptSel");
	memset(world.calls, 0, sizeof(world.calls));
	world.fail_snapshot = -1;
	world.fail_stop = 1U << PPROF_SOURCE_WALL;
	assert_int_equal(profile_loop(&run), 0);
	assert_int_equal(run.failed, 1U << PPROF_SOURCE_THREAD | 1U << PPROF_SOURCE_WALL);
	memset(world.calls, 0, sizeof(world.calls));
	settings.profile_types = 1U << PROFILE_TYPE_CUSTOM;
	settings.custom = "conns";
	run.failed = 0;
	world.fail_stop = 0;
	assert_int_equal(profile_loop(&run), 0);
	assert_string_equal(world.calls, "sbkSel");
	assert_int_equal(run.failed, 1U << PPROF_SOURCE_CUSTOM);
}

static void test_sources_that_do_not_start(void **state)
{
	(void)state;
	world.fail_start = -1;
	assert_int_equal(profile_loop(&run), -1);
	assert_string_equal(world.calls, "s");
}

/* Each drain is followed by a step. The end of the last window is that of the run. */
static void test_windows(void **state)
{
	(void)state;
	run.store = (struct window_store *)&world;
	settings.profile_types |= 1U << PROFILE_TYPE_THREAD;
	assert_int_equal(profile_loop(&run), -1);
	assert_string_equal(world.calls, "sbwWWWSEel");
	assert_int_equal(world.nr_drains, 4);
}

/* Without memory the run ends with one message: no snapshot, and no further drain. */
static void test_drain_fails(void **state)
{
	struct capture c;

	(void)state;
	settings.profile_types |= 1U << PROFILE_TYPE_THREAD;
	settings.duration_ns = UINT64_C(3600000000000);
	world.fail_drain = 1;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_loop(&run), -1);
	assert_sentence(capture_end(&c), "out of memory: give a smaller --max-stacks");
	assert_string_equal(world.calls, "sbSel");
}

/* The drain after the stop counts, too. */
static void test_last_drain_fails(void **state)
{
	struct capture c;

	(void)state;
	eventfd_write(run.stop.fd, 1);
	world.fail_drain = 2;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_loop(&run), -1);
	assert_sentence(capture_end(&c), "out of memory: give a smaller --max-stacks");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_duration),
		TEST(test_signal),
		TEST(test_no_target_left),
		TEST(test_program),
		TEST(test_request),
		TEST(test_request_that_fails),
		TEST(test_program_that_is_none),
		TEST(test_a_table_is_ready),
		TEST(test_snapshots),
		TEST(test_sources_that_do_not_start),
		TEST(test_windows),
		TEST(test_drain_fails),
		TEST(test_last_drain_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
