// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/sched_switch.c kmod/record/target.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/* The test calls the probe as the kernel does at a context switch. Its handlers play sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "kmod/base/tracepoints.h"
#include "kmod/record/sched_switch.h"

#define TGID	100

struct pid_namespace init_pid_ns;
bool shim_irqs_are_off;
struct task_struct *current;
int shim_nr_warnings;

static struct pprof_target target;
static struct task_struct inside = { .tgid = TGID }, outside = { .tgid = TGID + 1 };

/* The memory behind the handlers must stay as it is. */
static struct {
	struct pprof_switches switches;
	u8 behind[64];
} memory;

static struct pprof_switches *const switches = &memory.switches;
static void (*probe)(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		     unsigned int prev_state);
static int add_error, nr_interrupts;

/* A source. */
static struct source {
	int nr_calls;
	u32 flags;
	struct task_struct *prev, *next;
} sources[PPROF_MAX_SWITCHES + 1];

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	return calloc(1, size);
}

/* Fails if a switch can come before the first source is there. */
int pprof_tracepoint_add(enum pprof_tracepoint hook, void *of, void *data)
{
	assert_int_equal(hook, PPROF_TRACEPOINT_SWITCH);
	assert_ptr_equal(data, switches);
	assert_null(probe);
	assert_int_equal(switches->active, 1);
	if (add_error)
		return add_error;
	probe = of;
	return 0;
}

void pprof_tracepoint_del(enum pprof_tracepoint hook, void *of, void *data)
{
	assert_int_equal(hook, PPROF_TRACEPOINT_SWITCH);
	assert_ptr_equal(data, switches);
	assert_ptr_equal(probe, of);
	probe = NULL;
}

void on_each_cpu(void (*fn)(void *data), void *data, int wait)
{
	assert_true(wait);
	fn(data);
	nr_interrupts++;
}

static void handler(void *state, struct task_struct *prev, struct task_struct *next, u32 flags)
{
	struct source *source = state;

	source->nr_calls++;
	source->flags = flags;
	source->prev = prev;
	source->next = next;
}

static int begin(void **state)
{
	memset(&memory, 0, sizeof(memory));
	memset(memory.behind, 0x5a, sizeof(memory.behind));
	memset(sources, 0, sizeof(sources));
	switches->target = &target;
	shim_nr_warnings = 0;
	add_error = 0;
	nr_interrupts = 0;
	probe = NULL;
	current = &inside;
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, false), 0);
	pprof_target_add(&target, TGID);
	return 0;
}

static int end(void **state)
{
	pprof_target_fini(&target);
	for (u32 i = 0; i < sizeof(memory.behind); i++)
		assert_int_equal(memory.behind[i], 0x5a);
	return 0;
}

static int add(int i)
{
	return pprof_switches_add(switches, handler, &sources[i]);
}

static void del(int i)
{
	pprof_switches_del(switches, &sources[i]);
}

static void switch_tasks(struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	probe(switches, false, prev, next, state);
}

/*
 * Fails if a source more than PPROF_MAX_SWITCHES is written behind the array, is refused without a
 * warning, or takes the place of another one.
 */
static void test_too_many_sources(void **state)
{
	for (int i = 0; i < PPROF_MAX_SWITCHES; i++)
		assert_int_equal(add(i), 0);
	assert_int_equal(shim_nr_warnings, 0);
	assert_int_equal(add(PPROF_MAX_SWITCHES), -ENOSPC);
	assert_int_equal(shim_nr_warnings, 1);
	switch_tasks(&inside, &outside, 0);
	for (int i = 0; i < PPROF_MAX_SWITCHES; i++)
		assert_int_equal(sources[i].nr_calls, 1);
	assert_int_equal(sources[PPROF_MAX_SWITCHES].nr_calls, 0);
}

/* Fails if the place of a source that stopped is not used again, or if its state stays. */
static void test_a_free_place(void **state)
{
	for (int i = 0; i < PPROF_MAX_SWITCHES; i++)
		assert_int_equal(add(i), 0);
	del(1);
	assert_int_equal(add(PPROF_MAX_SWITCHES), 0);
	switch_tasks(&inside, &outside, 0);
	assert_int_equal(sources[0].nr_calls, 1);
	assert_int_equal(sources[1].nr_calls, 0);
	assert_int_equal(sources[PPROF_MAX_SWITCHES].nr_calls, 1);
	assert_int_equal(shim_nr_warnings, 0);
}

/* Fails if another source loses its switches, or if a handler may still run after the removal. */
static void test_the_last_source_removes_the_probe(void **state)
{
	assert_int_equal(add(0), 0);
	assert_int_equal(add(1), 0);
	del(0);
	assert_int_equal(nr_interrupts, 1);
	assert_non_null(probe);
	switch_tasks(&inside, &outside, 0);
	assert_int_equal(sources[0].nr_calls, 0);
	assert_int_equal(sources[1].nr_calls, 1);
	del(1);
	assert_int_equal(nr_interrupts, 2);
	assert_null(probe);
	assert_int_equal(add(0), 0);
	assert_non_null(probe);
}

/* Fails if a source stays after its probe could not be added. */
static void test_a_probe_that_cannot_be_added(void **state)
{
	add_error = -ENOMEM;
	assert_int_equal(add(0), -ENOMEM);
	pprof_switches_drop(switches);
	assert_int_equal(sources[0].nr_calls, 0);
	add_error = 0;
	assert_int_equal(add(1), 0);
	switch_tasks(&inside, &outside, 0);
	assert_int_equal(sources[0].nr_calls, 0);
	assert_int_equal(sources[1].nr_calls, 1);
}

/* Fails if a source is called for other processes, or with the wrong thread. */
static void test_threads_of_targets(void **state)
{
	assert_int_equal(add(0), 0);
	switch_tasks(&outside, &outside, 0);
	assert_int_equal(sources[0].nr_calls, 0);
	switch_tasks(&inside, &outside, 0);
	assert_int_equal(sources[0].flags, PPROF_SWITCH_PREV);
	assert_ptr_equal(sources[0].prev, &inside);
	assert_ptr_equal(sources[0].next, &outside);
	switch_tasks(&outside, &inside, 0);
	assert_int_equal(sources[0].flags, PPROF_SWITCH_NEXT);
	switch_tasks(&inside, &inside, 0);
	assert_int_equal(sources[0].flags, PPROF_SWITCH_PREV | PPROF_SWITCH_NEXT);
	assert_int_equal(sources[0].nr_calls, 3);
}

/* Fails if a kernel thread is a target where all processes are targets. */
static void test_all_are_targets(void **state)
{
	struct task_struct kthread = { .tgid = 2, .flags = PF_KTHREAD }, idle = { .idle = true };

	pprof_target_fini(&target);
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, true, false), 0);
	assert_int_equal(add(0), 0);
	switch_tasks(&kthread, &idle, 0);
	assert_int_equal(sources[0].nr_calls, 0);
	switch_tasks(&kthread, &outside, 0);
	assert_int_equal(sources[0].flags, PPROF_SWITCH_NEXT);
}

static u32 flags_of(bool preempt, unsigned int state_of_it, unsigned int task_flags)
{
	inside.flags = task_flags;
	probe(switches, preempt, &inside, &outside, state_of_it);
	inside.flags = 0;
	return sources[0].flags & ~PPROF_SWITCH_PREV;
}

/* Fails if a thread waits that was preempted or stopped, or that is a worker or at its end. */
static void test_threads_that_wait(void **state)
{
	const u32 waits = PPROF_SWITCH_BLOCKS;

	assert_int_equal(add(0), 0);
	assert_int_equal(flags_of(false, TASK_INTERRUPTIBLE, 0), waits);
	assert_int_equal(flags_of(false, TASK_UNINTERRUPTIBLE, 0), waits);
	assert_int_equal(flags_of(true, TASK_INTERRUPTIBLE, 0), 0);
	assert_int_equal(flags_of(false, 0, 0), 0);
	assert_int_equal(flags_of(false, TASK_STOPPED, 0), 0);
	assert_int_equal(flags_of(false, TASK_INTERRUPTIBLE, PF_EXITING), 0);
	assert_int_equal(flags_of(false, TASK_INTERRUPTIBLE, PF_IO_WORKER), 0);
	assert_int_equal(flags_of(false, TASK_INTERRUPTIBLE, PF_USER_WORKER), 0);
}

/* Fails if a source still counts the time of a process that is no target any more. */
static void test_a_target_that_was_removed(void **state)
{
	assert_int_equal(add(0), 0);
	assert_int_equal(add(1), 0);
	pprof_target_remove(&target, TGID);
	pprof_switches_drop(switches);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sources[i].nr_calls, 1);
		assert_int_equal(sources[i].flags, 0);
		assert_ptr_equal(sources[i].prev, &inside);
	}
}

/* Fails if the sources do not learn that the running thread has become a target, or is none. */
static void test_a_target_that_moved(void **state)
{
	assert_int_equal(add(0), 0);
	pprof_switches_look_again(switches);
	assert_int_equal(sources[0].flags, PPROF_SWITCH_NEXT);
	assert_ptr_equal(sources[0].next, &inside);
	pprof_target_remove(&target, TGID);
	pprof_switches_look_again(switches);
	assert_int_equal(sources[0].nr_calls, 2);
	assert_int_equal(sources[0].flags, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_too_many_sources),
		TEST(test_a_free_place),
		TEST(test_the_last_source_removes_the_probe),
		TEST(test_a_probe_that_cannot_be_added),
		TEST(test_threads_of_targets),
		TEST(test_all_are_targets),
		TEST(test_threads_that_wait),
		TEST(test_a_target_that_was_removed),
		TEST(test_a_target_that_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
