// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/session_totals.c
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "session/session_totals.h"

/* The counters of a session. */
static struct aggregator_counts counts[PPROF_NR_SOURCES];
static uint64_t lost[PPROF_NR_CLASSES];

struct aggregator_counts aggregator_total(const struct aggregator *c, uint32_t source)
{
	(void)c;
	return counts[source];
}

uint64_t device_nr_lost(const struct device *d, uint32_t class)
{
	(void)d;
	return lost[class];
}

static int begin(void **state)
{
	(void)state;
	memset(counts, 0, sizeof(counts));
	memset(lost, 0, sizeof(lost));
	return 0;
}

/*
 * Each sample counts once, however often it is added, and not if it is ignored. Truncation is that
 * of all sources.
 */
static void test_differences(void **state)
{
	struct session_totals *t = session_totals_new(), before = { 0 };

	(void)state;
	counts[PPROF_SOURCE_CPU].consumed = 10;
	counts[PPROF_SOURCE_CPU].truncated[PPROF_END_DEPTH] = 2;
	counts[PPROF_SOURCE_WALL].truncated[PPROF_END_DEPTH] = 3;
	lost[PPROF_CLASS_EVENT] = 4;
	session_totals_add(t, &before, NULL, NULL);
	session_totals_add(t, &before, NULL, NULL);
	counts[PPROF_SOURCE_CPU].consumed = 15;
	session_totals_add(t, &before, NULL, NULL);
	assert_int_equal(t->samples[PPROF_SOURCE_CPU], 15);
	assert_int_equal(t->truncated[PPROF_END_DEPTH], 5);
	assert_int_equal(t->lost[PPROF_CLASS_EVENT], 4);
	counts[PPROF_SOURCE_CPU].consumed = 14;
	session_totals_add(t, &before, NULL, NULL);
	assert_int_equal(t->samples[PPROF_SOURCE_CPU], 15);
	counts[PPROF_SOURCE_CPU].consumed = 28;
	counts[PPROF_SOURCE_CPU].ignored = 8;
	session_totals_add(t, &before, NULL, NULL);
	assert_int_equal(t->samples[PPROF_SOURCE_CPU], 20);
}

/* Two processes have a session each. The parent sees both, and can only read. */
static void test_processes(void **state)
{
	struct session_totals *t = session_totals_new();
	int status;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			struct session_totals before = { 0 };

			counts[PPROF_SOURCE_CPU].consumed = 100 + i;
			session_totals_add(t, &before, NULL, NULL);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	session_totals_seal(t);
	assert_int_equal(t->samples[PPROF_SOURCE_CPU], 201);
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		t->samples[0]++;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_differences, begin),
		cmocka_unit_test_setup(test_processes, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
