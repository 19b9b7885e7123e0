// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/session/sources.c collector/aggregate/profile_types.c
// sources: collector/device/error_text.c
/* The module is played by this file. */
#include <errno.h>

#include "capture.h"
#include "aggregate/profile_types.h"
#include "aggregate/label_sets.h"
#include "session/settings.h"
#include "device/device.h"
#include "pprof.h"
#include "session/sources.h"

#define CPU	(1U << PPROF_SOURCE_CPU)
#define WALL	(1U << PPROF_SOURCE_WALL)
#define BLOCK	(1U << PPROF_SOURCE_BLOCK)
#define TYPE(name)	(1U << PROFILE_TYPE_##name)
#define SNAPSHOTS	(TYPE(THREAD) | TYPE(CUSTOM))

static unsigned int started, stopped, stopped_at_end, refused, full;
static unsigned int started_before[PPROF_NR_SOURCES];
static int nr_drains, nr_ends, drained_at_end;

uint64_t settings_period(const struct settings *s, uint32_t source)
{
	(void)s;
	return 1000 + source;
}

void device_foreign_abi(unsigned int *major, unsigned int *minor)
{
	*major = *minor = 0;
}

int device_start(struct device *d, uint32_t source, uint64_t period)
{
	(void)d;
	assert_int_equal(period, 1000 + source);
	if (refused & (1U << source))
		return -EOPNOTSUPP;
	started_before[source] = started;
	started |= 1U << source;
	return 0;
}

int device_stop(struct device *d, uint32_t source)
{
	(void)d;
	if (refused & (1U << source))
		return -ENOMEM;
	if (full & (1U << source))
		return -EAGAIN;
	stopped |= 1U << source;
	return 0;
}

static void ended(void *ctx)
{
	(void)ctx;
	nr_ends++;
	drained_at_end = nr_drains;
	stopped_at_end = stopped;
}

/* After three calls the rings have room. With a negative context the drain fails. */
static int drain(void *ctx)
{
	if (*(int *)ctx < 0)
		return -1;
	if (++nr_drains == 3)
		full = 0;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	started = 0;
	stopped = 0;
	refused = 0;
	full = 0;
	nr_drains = 0;
	nr_ends = 0;
	return 0;
}

static void test_those_asked_for(void **state)
{
	const struct settings c = { .profile_types = TYPE(CPU) | TYPE(BLOCK) | SNAPSHOTS };
	int ctx = 0;
	const struct sources_end end = { ended, drain, &ctx };

	(void)state;
	assert_int_equal(sources_start(NULL, &c), 0);
	assert_int_equal(started, CPU | BLOCK);
	assert_int_equal(sources_stop(NULL, &c, &end), 0);
	assert_int_equal(stopped, CPU | BLOCK);
	assert_int_equal(nr_drains, 0);
	assert_int_equal(nr_ends, 1);
	assert_int_equal(stopped_at_end, 0);
}

/* A snapshot of one process, and nothing else, needs no hooks. */
static void test_setup_flags(void **state)
{
	const struct {
		struct settings config;
		uint32_t flags;
	} cases[] = {
		{ { .profile_types = TYPE(CPU), .nr_pids = 1 }, 0 },
		{ { .profile_types = TYPE(CPU), .nr_pids = 1, .tables = true },
		  PPROF_SETUP_TABLES | PPROF_SETUP_SHARED },
		{ { .profile_types = TYPE(CPU), .nr_pids = 1, .children = true },
		  PPROF_SETUP_CHILDREN },
		{ { .profile_types = TYPE(CPU), .program = (char *[]){ "sh", NULL } },
		  PPROF_SETUP_CHILDREN },
		{ { .profile_types = TYPE(WALL), .all = true, .live = true },
		  PPROF_SETUP_ALL | PPROF_SETUP_THREAD_ENDS },
		{ { .profile_types = TYPE(CPU), .nr_pids = 1, .kernel = true },
		  PPROF_SETUP_KERNEL },
		{ { .profile_types = TYPE(CPU), .nr_pids = 1, .labels = LABELS_WANT_TRACE }, 0 },
		{ { .profile_types = TYPE(CPU), .nr_pids = 1, .labels = LABELS_WANT_TRACE,
		    .tables = true },
		  PPROF_SETUP_TABLES | PPROF_SETUP_SHARED | PPROF_SETUP_CONTEXT },
		{ { .profile_types = SNAPSHOTS, .nr_pids = 1, .labels = LABELS_WANT_TRACE },
		  PPROF_SETUP_SNAPSHOT },
		{ { .profile_types = SNAPSHOTS, .nr_pids = 1 }, PPROF_SETUP_SNAPSHOT },
		{ { .profile_types = SNAPSHOTS, .nr_pids = 1, .tables = true },
		  PPROF_SETUP_SNAPSHOT | PPROF_SETUP_TABLES },
		{ { .profile_types = SNAPSHOTS | TYPE(BLOCK), .nr_pids = 1 }, 0 },
		{ { .profile_types = SNAPSHOTS, .nr_pids = 1, .duration_ns = 1 }, 0 },
		{ { .profile_types = SNAPSHOTS, .nr_pids = 1, .children = true },
		  PPROF_SETUP_CHILDREN },
		{ { .profile_types = SNAPSHOTS, .nr_pids = 2 }, 0 },
		{ { .profile_types = SNAPSHOTS, .all = true }, PPROF_SETUP_ALL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(sources_setup_flags(&cases[i].config), cases[i].flags);
}

static void test_refused(void **state)
{
	const struct settings c = { .profile_types = TYPE(CPU) | TYPE(WALL) };
	struct capture out;

	(void)state;
	refused = WALL;
	capture_begin(&out, STDERR_FILENO);
	assert_int_equal(sources_start(NULL, &c), -1);
	assert_sentence(capture_end(&out), "cannot start the wall profile: Operation not supported: "
					   "take the module and pprof-collect from one build");
}

/* cpu and wall start last: the run begins with them. */
static void test_what_counts_time_starts_last(void **state)
{
	const struct settings c = { .profile_types = TYPE(CPU) | TYPE(WALL) | TYPE(BLOCK) };

	(void)state;
	assert_int_equal(sources_start(NULL, &c), 0);
	assert_int_equal(started_before[PPROF_SOURCE_WALL], BLOCK);
	assert_int_equal(started_before[PPROF_SOURCE_CPU], BLOCK | WALL);
}

/* The end of wall is the end of the run, and each other source takes time to stop. */
static void test_wall_is_stopped_first(void **state)
{
	const struct settings c = { .profile_types = TYPE(CPU) | TYPE(WALL) };
	int ctx = 0;
	const struct sources_end end = { ended, drain, &ctx };

	(void)state;
	assert_int_equal(sources_start(NULL, &c), 0);
	assert_int_equal(sources_stop(NULL, &c, &end), 0);
	assert_int_equal(stopped_at_end, WALL);
	assert_int_equal(stopped, CPU | WALL);
}

/* The last samples of a source are written when the rings have room. */
static void test_full_rings(void **state)
{
	const struct settings c = { .profile_types = TYPE(CPU) | TYPE(WALL) };
	int ctx = 0;
	const struct sources_end end = { ended, drain, &ctx };

	(void)state;
	full = WALL;
	assert_int_equal(sources_stop(NULL, &c, &end), 0);
	assert_int_equal(stopped, CPU | WALL);
	assert_int_equal(nr_drains, 3);
	assert_int_equal(nr_ends, 1);
	assert_int_equal(drained_at_end, 0);
}

/* The other sources stop without an error. */
static void test_one_fails(void **state)
{
	const struct settings c = { .profile_types = TYPE(CPU) | TYPE(WALL) | TYPE(BLOCK) };
	struct capture out;
	int ctx = 0;
	const struct sources_end end = { ended, drain, &ctx };

	(void)state;
	refused = WALL;
	capture_begin(&out, STDERR_FILENO);
	assert_int_equal(sources_stop(NULL, &c, &end), WALL);
	assert_sentence(capture_end(&out), "the wall profile lacks its end: Cannot allocate memory: "
					   "free memory");
	assert_int_equal(stopped, CPU | BLOCK);
	refused = 0;
	full = WALL;
	ctx = -1;
	assert_int_equal(sources_stop(NULL, &c, &end), WALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_those_asked_for, setup),
		cmocka_unit_test(test_setup_flags),
		cmocka_unit_test_setup(test_refused, setup),
		cmocka_unit_test_setup(test_what_counts_time_starts_last, setup),
		cmocka_unit_test_setup(test_wall_is_stopped_first, setup),
		cmocka_unit_test_setup(test_full_rings, setup),
		cmocka_unit_test_setup(test_one_fails, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
