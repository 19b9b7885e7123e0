// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/cgroup_moves.c kmod/record/target.c
// include: -Itests/unit/shim -include kmod/base/compat.h -DCONFIG_CGROUPS
// include: -Wno-unused-parameter -Wno-sign-compare
/*
 * The test calls the probes as the kernel does when a process moves. The set of targets is the
 * module's. The test notes what is reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/cgroup.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "kmod/base/tracepoints.h"
#include "kmod/record/cgroup_moves.h"
#include "kmod/record/process_events.h"

#define NR_TASKS	5

struct pid_namespace init_pid_ns;
struct task_struct *current;
bool shim_irqs_are_off;
struct work_struct *shim_queued;
struct workqueue_struct *system_dfl_wq;
struct task_struct *shim_tasks;
int shim_nr_tasks;

static struct cgroup_root v1;
static struct cgroup in, below_in, out, of_v1;
static struct signal_struct alive[NR_TASKS];
static struct pid process;
static struct task_struct tasks[NR_TASKS];
static struct pprof_target target;
static struct pprof_sink sink;
static struct pprof_cgroup_moves moves;

static void *probes[PPROF_NR_TRACEPOINTS];
static int nr_adds, failing_add, nr_looks, nr_wakeups, nr_cancels;
static char calls[16];

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	return calloc(1, size);
}

int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data)
{
	assert_ptr_equal(data, &moves);
	assert_true(pprof_target_is_empty(&target));	/* the hooks come before the look */
	if (++nr_adds == failing_add)
		return -EOPNOTSUPP;
	probes[hook] = probe;
	return 0;
}

void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data)
{
	assert_ptr_equal(probes[hook], probe);
	probes[hook] = NULL;
}

void shim_cancel_work(struct work_struct *work)
{
	assert_ptr_equal(work, &moves.kick);
	for (int i = 0; i < PPROF_NR_TRACEPOINTS; i++)
		assert_null(probes[i]);	/* no hook queues it again */
	nr_cancels++;
}

void on_each_cpu(void (*fn)(void *data), void *data, int wait)
{
	fn(data);
}

void pprof_switches_look_again(const struct pprof_switches *switches)
{
	assert_ptr_equal(switches, &sink.switches);
	nr_looks++;
}

static void note(char call, const struct task_struct *task)
{
	size_t nr = strlen(calls);

	assert_true(nr + 2 < sizeof(calls));
	calls[nr] = call;
	calls[nr + 1] = '0' + task->tgid;
}

void pprof_process_events_enter(struct pprof_sink *of, struct task_struct *task)
{
	assert_ptr_equal(of, &sink);
	assert_true(pprof_target_has(&target, task));
	note('e', task);
}

void pprof_process_events_leave(struct pprof_sink *of, struct task_struct *task)
{
	assert_ptr_equal(of, &sink);
	assert_false(pprof_target_has(&target, task));
	note('l', task);
}

static void wake(struct irq_work *work)
{
	nr_wakeups++;
}

/* Process 0 is outside, 1 is inside, 2 is below, 3 is inside and ending, 4 is a kernel thread. */
static int begin(void **state)
{
	in = (struct cgroup) { .self.flags = CSS_ONLINE, .root = &cgrp_dfl_root, .dom_cgrp = &in };
	below_in = (struct cgroup) { .root = &cgrp_dfl_root, .parent = &in };
	out = (struct cgroup) { .root = &cgrp_dfl_root };
	of_v1 = (struct cgroup) { .root = &v1 };
	for (int i = 0; i < NR_TASKS; i++) {
		alive[i].live.counter = i != 3;
		tasks[i] = (struct task_struct) {
			.pid = i + 1, .tgid = i + 1, .signal = &alive[i], .process = &process,
			.cgroup = i ? i == 2 ? &below_in : &in : &out,
		};
	}
	tasks[4].flags = PF_KTHREAD;
	shim_tasks = tasks;
	shim_nr_tasks = NR_TASKS;
	shim_queued = NULL;
	sink = (struct pprof_sink) { .target = &target, .wakeup.irq.func = wake };
	moves = (struct pprof_cgroup_moves) { 0 };
	nr_adds = 0;
	failing_add = 0;
	nr_looks = 0;
	nr_wakeups = 0;
	nr_cancels = 0;
	memset(calls, 0, sizeof(calls));
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, false), 0);
	shim_opened = &in;
	return pprof_target_set_cgroup(&target, 7);
}

static int end(void **state)
{
	pprof_cgroup_moves_fini(&moves);
	for (int i = 0; i < PPROF_NR_TRACEPOINTS; i++)
		assert_null(probes[i]);
	pprof_target_fini(&target);
	return 0;
}

static void attach(struct cgroup *to, struct task_struct *leader, bool whole_process)
{
	void (*probe)(void *, struct cgroup *, const char *, struct task_struct *, bool) =
		probes[PPROF_TRACEPOINT_CGROUP_ATTACH];

	probe(&moves, to, "", leader, whole_process);
}

/* Fails if one is missed, if a foreign one becomes a target, or if one is not reported. */
static void test_processes_that_are_there(void **state)
{
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	assert_string_equal(calls, "e2e3");
	assert_int_equal(target.nr.counter, 2);
}

/* The first thread has ended, and its process has moved since. Fails if its cgroup counts. */
static void test_a_first_thread_that_has_ended(void **state)
{
	tasks[1].flags = PF_EXITING;
	tasks[1].tgid = 3;	/* the next one is another thread of the process */
	shim_nr_tasks = 3;
	tasks[2].cgroup = &out;
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	assert_string_equal(calls, "");
}

static void test_moves(void **state)
{
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	memset(calls, 0, sizeof(calls));
	shim_queued = NULL;
	attach(&below_in, &tasks[0], true);
	assert_string_equal(calls, "e1");
	assert_ptr_equal(shim_queued, &moves.kick);
	flush_work(shim_queued);
	assert_int_equal(nr_looks, 1);
	shim_queued = NULL;
	attach(&in, &tasks[0], true);
	assert_null(shim_queued);
	attach(&out, &tasks[0], true);
	assert_ptr_equal(shim_queued, &moves.kick);
	assert_string_equal(calls, "e1l1");
}

/* Fails if a thread or a hierarchy of v1 moves the process. */
static void test_what_is_no_move(void **state)
{
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	memset(calls, 0, sizeof(calls));
	attach(&in, &tasks[0], false);
	attach(&out, &tasks[1], false);
	attach(&of_v1, &tasks[1], true);
	assert_string_equal(calls, "");
	assert_int_equal(target.nr.counter, 2);
}

/* Fails if a record is made of a thread that was reaped. */
static void test_a_move_of_a_reaped_process(void **state)
{
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	memset(calls, 0, sizeof(calls));
	alive[1].live.counter = 0;
	tasks[1].process = NULL;
	attach(&in, &tasks[1], true);
	assert_false(pprof_target_has(&target, &tasks[1]));
	assert_string_equal(calls, "");
}

static void on_rmdir(struct cgroup *cgroup)
{
	void (*probe)(void *, struct cgroup *, const char *) =
		probes[PPROF_TRACEPOINT_CGROUP_RMDIR];

	probe(&moves, cgroup, "");
}

static void test_the_cgroup_is_removed(void **state)
{
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	on_rmdir(&out);
	assert_int_equal(nr_wakeups, 0);
	on_rmdir(&in);
	assert_int_equal(nr_wakeups, 1);
}

/* Fails if a hook is left, or if the end comes twice. */
static void test_the_ends(void **state)
{
	pprof_cgroup_moves_fini(&moves);
	assert_int_equal(nr_cancels, 0);
	failing_add = 2;
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), -EOPNOTSUPP);
	assert_string_equal(calls, "");
	assert_int_equal(nr_cancels, 1);
	pprof_cgroup_moves_fini(&moves);
	assert_int_equal(nr_cancels, 1);
	failing_add = 0;
	assert_int_equal(pprof_cgroup_moves_init(&moves, &sink), 0);
	pprof_cgroup_moves_fini(&moves);
	pprof_cgroup_moves_fini(&moves);
	assert_int_equal(nr_cancels, 2);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_processes_that_are_there),
		TEST(test_a_first_thread_that_has_ended),
		TEST(test_moves),
		TEST(test_what_is_no_move),
		TEST(test_a_move_of_a_reaped_process),
		TEST(test_the_cgroup_is_removed),
		TEST(test_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
