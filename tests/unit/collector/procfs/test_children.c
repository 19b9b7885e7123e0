// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/children.c
// libs: -pthread
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/children.h"
#include "waiting.h"

/*
 * The tree: us - a - aa - aaa
 *              \   \ ab
 *               \ b, a child of another thread of us
 */
enum { A, AA, AAA, AB, B, NR };

static const int parent_of[NR] = { -1, A, AA, A, -1 };
static int ready[2];
static pid_t pids[NR];

struct report {
	int process;
	pid_t pid;
};

/* Each process writes its pid, so that all exist when the tests begin. */
static void grow(int process)
{
	struct report report = { .process = process };

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int child = 0; child < NR; child++)
		if (parent_of[child] == process)
			grow(child);
	report.pid = getpid();
	if (write(ready[1], &report, sizeof(report)) != sizeof(report))
		_exit(1);
	for (;;)
		pause();
}

static pthread_barrier_t over;

static void *grow_b(void *arg)
{
	(void)arg;
	grow(B);
	pthread_barrier_wait(&over);	/* when a thread ends, its child does */
	return NULL;
}

static pthread_t thread;

static int setup(void **state)
{
	struct report report;

	(void)state;
	pthread_barrier_init(&over, NULL, 2);
	if (pipe(ready))
		return -1;
	grow(A);
	if (pthread_create(&thread, NULL, grow_b, NULL))
		return -1;
	for (int i = 0; i < NR; i++) {
		if (read(ready[0], &report, sizeof(report)) != sizeof(report))
			return -1;
		pids[report.process] = report.pid;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < NR; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	waitpid(pids[A], NULL, 0);
	waitpid(pids[B], NULL, 0);
	pthread_barrier_wait(&over);
	return pthread_join(thread, NULL);
}

struct visits {
	int nr;
	int order[NR];		/* order of the visits; 0: not visited */
	pid_t stop_at;
};

static int note(void *ctx, pid_t pid)
{
	struct visits *v = ctx;

	v->nr++;
	for (int i = 0; i < NR; i++)
		if (pids[i] == pid)
			v->order[i] = v->nr;
	return pid == v->stop_at ? 42 : 0;
}

static void test_all_and_parents_first(void **state)
{
	struct visits v = { 0 };

	(void)state;
	assert_int_equal(children_visit(getpid(), note, &v), 0);
	assert_int_equal(v.nr, NR);
	for (int i = 0; i < NR; i++) {
		assert_true(v.order[i] > 0);
		assert_true(parent_of[i] < 0 || v.order[parent_of[i]] < v.order[i]);
	}
}

static void test_below_a_child(void **state)
{
	struct visits v = { 0 };

	(void)state;
	assert_int_equal(children_visit(pids[A], note, &v), 0);
	assert_int_equal(v.nr, 3);
	assert_true(v.order[AA] && v.order[AAA] && v.order[AB]);
}

static void test_ends_with_the_first_result(void **state)
{
	struct visits v = { .stop_at = pids[AA] };

	(void)state;
	assert_int_equal(children_visit(getpid(), note, &v), 42);
	assert_true(v.order[AA] == v.nr);
	assert_int_equal(v.order[AAA], 0);
}

static void test_without_children(void **state)
{
	struct visits v = { 0 };

	(void)state;
	assert_int_equal(children_visit(pids[AAA], note, &v), 0);
	assert_int_equal(children_visit(0x40000000, note, &v), 0);
	assert_int_equal(v.nr, 0);
}

#define NR_STAYING	100
#define NR_GOING	20	/* children that end, before each child that stays */

/* Writes the pids of the children that stay. When released, ends the other children. */
static void run_parent(int report, int release)
{
	pid_t pids_[NR_STAYING][NR_GOING + 1];
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < NR_STAYING; i++)
		for (int j = 0; j <= NR_GOING; j++)
			pids_[i][j] = waiting_start();
	for (int i = 0; i < NR_STAYING; i++)
		if (write(report, &pids_[i][NR_GOING], sizeof(pid_t)) != sizeof(pid_t))
			_exit(1);
	if (read(release, &c, 1) != 1)
		_exit(1);
	for (int i = 0; i < NR_STAYING; i++)
		for (int j = 0; j < NR_GOING; j++)
			kill(pids_[i][j], SIGKILL);
	for (;;)
		pause();
}

struct staying {
	pid_t pids[NR_STAYING];
	int nr_seen;
};

static int note_staying(void *ctx, pid_t pid)
{
	struct staying *s = ctx;

	for (int i = 0; i < NR_STAYING; i++)
		s->nr_seen += s->pids[i] == pid;
	return 0;
}

/* The kernel's list skips living children if a child ends during the read. */
static void test_none_is_missed_while_others_go(void **state)
{
	struct staying s;
	int report[2], release[2];
	pid_t parent;

	(void)state;
	assert_int_equal(pipe(report) | pipe(release), 0);
	parent = fork();
	if (!parent)
		run_parent(report[1], release[0]);
	for (int i = 0; i < NR_STAYING; i++)
		assert_int_equal(read(report[0], &s.pids[i], sizeof(pid_t)), sizeof(pid_t));
	assert_int_equal(write(release[1], "x", 1), 1);
	for (int i = 0; i < 200; i++) {
		s.nr_seen = 0;
		assert_int_equal(children_visit(parent, note_staying, &s), 0);
		assert_int_equal(s.nr_seen, NR_STAYING);
	}
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
}

#define GENERATIONS	300

/* Each process creates the next one. The last one reports that all exist. */
static void make_row(int generations)
{
	char byte = 0;

	while (generations && !fork())
		generations--;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!generations && write(ready[1], &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int count(void *nr, pid_t pid)
{
	(void)pid;
	++*(int *)nr;
	return 0;
}

/* A long chain of parents needs few descriptors. */
static void test_many_generations(void **state)
{
	struct rlimit old, few;
	char byte;
	int nr = 0;
	pid_t first;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	first = fork();
	if (!first)
		make_row(GENERATIONS);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(children_visit(first, count, &nr), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(nr, GENERATIONS);
	kill(first, SIGKILL);
	for (int i = 0; i <= GENERATIONS; i++)
		assert_true(waitpid(-1, NULL, 0) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_and_parents_first),
		cmocka_unit_test(test_below_a_child),
		cmocka_unit_test(test_ends_with_the_first_result),
		cmocka_unit_test(test_without_children),
		cmocka_unit_test(test_none_is_missed_while_others_go),
		cmocka_unit_test(test_many_generations),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
