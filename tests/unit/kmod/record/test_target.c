// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/target.c
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>

#include "kmod/record/target.h"

struct pid_namespace init_pid_ns;
bool shim_irqs_are_off;
static struct pid_namespace below = { .level = 1 };
static bool no_memory;

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	assert_int_equal(gfp, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return no_memory ? NULL : calloc(1, size);
}

static bool has(const struct pprof_target *target, pid_t tgid)
{
	const struct task_struct task = { .tgid = tgid, .tgid_below = tgid };

	return pprof_target_has(target, &task);
}

static void test_targets_that_were_added(void **state)
{
	struct pprof_target target;

	(void)state;
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, true), 0);
	assert_true(target.children);
	assert_false(has(&target, 100));
	pprof_target_add(&target, 100);
	pprof_target_add(&target, 1);
	pprof_target_add(&target, PID_MAX_LIMIT - 1);
	assert_true(has(&target, 100) && has(&target, 1) && has(&target, PID_MAX_LIMIT - 1));
	assert_false(has(&target, 0) || has(&target, 99) || has(&target, 101));
	assert_int_equal(target.nr.counter, 3);
	pprof_target_fini(&target);
}

/*
 * Fails if a target that is added twice counts twice, or if a process that is no target counts as
 * the last one.
 */
static void test_the_last_target(void **state)
{
	struct pprof_target target;

	(void)state;
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, false), 0);
	assert_false(target.children);
	assert_true(pprof_target_is_empty(&target));
	assert_false(pprof_target_remove(&target, 7));
	pprof_target_add(&target, 7);
	pprof_target_add(&target, 7);
	pprof_target_add(&target, 8);
	assert_false(pprof_target_remove(&target, 9));
	assert_true(pprof_target_remove(&target, 7));
	assert_false(pprof_target_remove(&target, 7));
	assert_false(has(&target, 7));
	assert_false(pprof_target_is_empty(&target));
	assert_true(pprof_target_remove(&target, 8));
	assert_false(pprof_target_remove(&target, 8));
	assert_true(pprof_target_is_empty(&target));
	pprof_target_fini(&target);
}

/* Fails if hooks do not see the process as a target, or do not see that it is not checked yet. */
static void test_an_unchecked_target(void **state)
{
	struct pprof_target target;

	(void)state;
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, true), 0);
	assert_true(pprof_target_add_unchecked(&target, 7));
	assert_true(has(&target, 7) && pprof_target_is_unchecked(&target, 7));
	assert_false(pprof_target_is_unchecked(&target, 8));
	pprof_target_end_check(&target);
	assert_true(has(&target, 7));
	assert_false(pprof_target_is_unchecked(&target, 7));
	assert_false(pprof_target_add_unchecked(&target, 7));
	assert_false(pprof_target_is_unchecked(&target, 7));
	assert_int_equal(target.nr.counter, 1);
	pprof_target_fini(&target);
}

static void test_all_processes(void **state)
{
	const struct task_struct kthread = { .tgid = 2, .flags = PF_KTHREAD };
	const struct task_struct idle = { .idle = true };
	struct pprof_target target;

	(void)state;
	no_memory = true;	/* none is needed */
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, true, false), 0);
	no_memory = false;
	assert_true(has(&target, 1) && has(&target, 4000000));
	assert_false(pprof_target_has(&target, &kthread));
	assert_false(pprof_target_has(&target, &idle));
	pprof_target_add(&target, 5);
	assert_true(pprof_target_remove(&target, 5));
	assert_false(pprof_target_is_empty(&target));
	pprof_target_fini(&target);
}

/* Fails if a session that was opened in a container has targets outside of it. */
static void test_all_processes_of_a_namespace(void **state)
{
	const struct task_struct inside = { .tgid = 500, .tgid_below = 1 };
	const struct task_struct outside = { .tgid = 501 };
	struct pprof_target target;

	(void)state;
	assert_int_equal(pprof_target_init(&target, &below, true, false), 0);
	assert_true(pprof_target_has(&target, &inside));
	assert_false(pprof_target_has(&target, &outside));
	pprof_target_fini(&target);
}

/* The tree of cgroups: root, in and below it, beside in. */
static struct cgroup root, in, below_in, out, of_v1;
static struct cgroup_root v1;

static void make_cgroups(void)
{
	root = (struct cgroup) { .self.flags = CSS_ONLINE, .root = &cgrp_dfl_root };
	root.dom_cgrp = &root;
	in = root;
	in.dom_cgrp = &in;
	in.parent = &root;
	out = in;
	out.dom_cgrp = &out;
	below_in = in;
	below_in.parent = &in;
	of_v1 = (struct cgroup) { .self.flags = CSS_ONLINE, .root = &v1 };
	of_v1.dom_cgrp = &of_v1;
}

static void begin_cgroup(struct pprof_target *target, struct pid_namespace *ns)
{
	make_cgroups();
	assert_int_equal(pprof_target_init(target, ns, false, false), 0);
	shim_opened = &in;
	assert_int_equal(pprof_target_set_cgroup(target, 7), 0);
	assert_int_equal(in.nr_refs, 1);
}

/* Fails if a session begins with a cgroup that it cannot follow, or if a reference is left. */
static void test_wrong_cgroups(void **state)
{
	struct pprof_target target;

	(void)state;
	make_cgroups();
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, false), 0);
	shim_opened = ERR_PTR(-ENOENT);
	assert_int_equal(pprof_target_set_cgroup(&target, 7), -ENOENT);
	shim_opened = &of_v1;
	assert_int_equal(pprof_target_set_cgroup(&target, 7), -EBADF);
	in.dom_cgrp = &root;
	shim_opened = &in;
	assert_int_equal(pprof_target_set_cgroup(&target, 7), -EOPNOTSUPP);
	assert_null(target.cgroup);
	assert_int_equal(in.nr_refs + of_v1.nr_refs, 0);
	pprof_target_fini(&target);
}

/* Fails if a process is a target elsewhere, counts twice, or stays one. */
static void test_moves(void **state)
{
	struct signal_struct alive = { .live = { 1 } };
	struct task_struct task = { .tgid = 7, .signal = &alive, .cgroup = &out };
	struct pprof_target target;

	(void)state;
	begin_cgroup(&target, &init_pid_ns);
	assert_int_equal(pprof_target_move(&target, &task, NULL), PPROF_MOVE_NONE);
	assert_int_equal(pprof_target_move(&target, &task, &root), PPROF_MOVE_NONE);
	assert_int_equal(pprof_target_move(&target, &task, &below_in), PPROF_MOVE_ENTERED);
	assert_true(has(&target, 7));
	assert_int_equal(pprof_target_move(&target, &task, &in), PPROF_MOVE_NONE);
	assert_int_equal(target.nr.counter, 1);
	assert_int_equal(pprof_target_move(&target, &task, NULL), PPROF_MOVE_LEFT);
	assert_false(has(&target, 7));
	task.cgroup = &in;
	assert_int_equal(pprof_target_move(&target, &task, NULL), PPROF_MOVE_ENTERED);
	assert_int_equal(pprof_target_move(&target, &task, &of_v1), PPROF_MOVE_LEFT);
	assert_true(pprof_target_is_empty(&target));
	assert_false(shim_irqs_are_off || target.lock.held);
	pprof_target_fini(&target);
	assert_int_equal(in.nr_refs, 0);
	pprof_target_fini(&target);	/* a session that was not set up ends, too */
	assert_int_equal(in.nr_refs, 0);
}

/* Fails if a process whose end was reported becomes a target: another may get its number. */
static void test_a_move_after_the_end(void **state)
{
	struct signal_struct dead = { .live = { 0 } };
	struct task_struct task = { .tgid = 7, .signal = &dead, .cgroup = &in };
	struct pprof_target target;

	(void)state;
	begin_cgroup(&target, &init_pid_ns);
	assert_int_equal(pprof_target_move(&target, &task, &in), PPROF_MOVE_NONE);
	assert_int_equal(pprof_target_move(&target, &task, NULL), PPROF_MOVE_NONE);
	pprof_target_end_moves(&target);
	assert_false(has(&target, 7) || target.lock.held || shim_irqs_are_off);
	pprof_target_fini(&target);
}

/* Fails if a kernel thread becomes a target, or a process that the opener does not see. */
static void test_moves_of_others(void **state)
{
	struct signal_struct alive = { .live = { 1 } };
	struct task_struct kthread = { .tgid = 2, .flags = PF_KTHREAD, .signal = &alive };
	struct task_struct outside = { .tgid = 501, .signal = &alive };
	struct task_struct inside = { .tgid = 500, .tgid_below = 1, .signal = &alive };
	struct pprof_target target;

	(void)state;
	begin_cgroup(&target, &below);
	assert_int_equal(pprof_target_move(&target, &kthread, &in), PPROF_MOVE_NONE);
	assert_int_equal(pprof_target_move(&target, &outside, &in), PPROF_MOVE_NONE);
	assert_int_equal(pprof_target_move(&target, &inside, &in), PPROF_MOVE_ENTERED);
	pprof_target_fini(&target);
}

/* Fails if forks and exits write to the cache line that each switch reads. */
static void test_the_count_is_apart(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct pprof_target), 2 * 64);
	assert_int_equal(offsetof(struct pprof_target, nr), 64);
}

static void test_no_memory(void **state)
{
	struct pprof_target target;

	(void)state;
	no_memory = true;
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, false), -ENOMEM);
	no_memory = false;
	pprof_target_fini(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets_that_were_added),
		cmocka_unit_test(test_the_last_target),
		cmocka_unit_test(test_an_unchecked_target),
		cmocka_unit_test(test_all_processes),
		cmocka_unit_test(test_all_processes_of_a_namespace),
		cmocka_unit_test(test_wrong_cgroups),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_a_move_after_the_end),
		cmocka_unit_test(test_moves_of_others),
		cmocka_unit_test(test_the_count_is_apart),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
