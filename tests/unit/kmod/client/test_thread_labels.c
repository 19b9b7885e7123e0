// SPDX-License-Identifier: GPL-2.0
// sources: kmod/client/thread_labels.c kmod/client/label_sets.c
// sources: kmod/client/custom_profiles.c kmod/base/user_quota.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/* Threads, what happens to them, and the memory that they write to are played by this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "fail_alloc.h"
#include "kmod/base/tracepoints.h"
#include "kmod/client/thread_labels.h"
#include "kmod/base/user_quota.h"
#include "kmod/client/label_page.h"
#include "quota.h"

#define NR_TASKS	7000
#define OF_A_PROCESS	PPROF_MAX_LABEL_THREADS
#define OF_A_USER	PPROF_MAX_USER_LABEL_THREADS

/* As far from each other as in the kernel, more or less: some have the same home. */
static _Alignas(64) char tasks[NR_TASKS][9664];

static void *probes[PPROF_NR_TRACEPOINTS];
static int hook_error;
static bool privileged;
static u32 uid;
static unsigned long mapped;	/* where the last words are; 0: they cannot be mapped */

struct task_struct *current;
int shim_nr_held;
bool shim_irqs_are_off;

static struct task_struct *nth(int i)
{
	return (struct task_struct *)(tasks[i] + i * 7919 % 113 * 64);
}

kuid_t current_uid(void)
{
	return (kuid_t) { uid };
}

bool ns_capable_noaudit(struct user_namespace *ns, int cap)
{
	(void)ns;
	(void)cap;
	return privileged;
}

u64 shim_clamp(u64 index, u64 size)
{
	assert_true(index < size);
	return index;
}

int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data)
{
	(void)data;
	if (hook_error && hook == PPROF_TRACEPOINT_NEWTASK)
		return hook_error;
	assert_null(probes[hook]);
	probes[hook] = probe;
	return 0;
}

void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data)
{
	(void)data;
	assert_ptr_equal(probes[hook], probe);
	probes[hook] = NULL;
}

/* The process's memory is the module's. */
int pprof_label_page_init(struct pprof_label_page *words)
{
	struct page *pages = calloc(PPROF_LABEL_PAGE_PAGES, sizeof(*pages));

	if (!pages)
		return -ENOMEM;
	for (u32 i = 0; i < PPROF_LABEL_PAGE_PAGES; i++)
		words->pages[i] = &pages[i];
	return 0;
}

void pprof_label_page_fini(struct pprof_label_page *words)
{
	free(words->pages[0]);
}

int pprof_label_page_map(struct pprof_label_page *words)
{
	if (!mapped)
		return -ENOMEM;
	mapped = (unsigned long)words->pages[0];
	words->address = mapped;
	return 0;
}

void rcu_barrier(void)
{
}

static void make_thread(struct task_struct *task)
{
	void (*probe)(void *data, struct task_struct *task, clone_flags_t flags) =
		probes[PPROF_TRACEPOINT_NEWTASK];

	if (probe)
		probe(NULL, task, CLONE_THREAD);
}

static void end_thread(struct task_struct *task)
{
	void (*probe)(void *data, struct task_struct *task, bool group_dead) =
		probes[PPROF_TRACEPOINT_EXIT];

	current = task;
	if (probe)
		probe(NULL, task, false);
}

static void execute(struct task_struct *task, pid_t old_pid)
{
	void (*probe)(void *data, struct task_struct *task, pid_t old_pid, void *bprm) =
		probes[PPROF_TRACEPOINT_EXEC];

	current = task;
	if (probe)
		probe(NULL, task, old_pid, NULL);
}

/* A process of one thread, with one set of labels. */
struct process {
	struct pprof_quota *quota;
	struct pprof_thread_labels *thread_labels;
	u32 set;
};

static struct process begin_process(struct task_struct *task)
{
	struct pprof_label label = { .key = "k", .value = "v" };
	struct process process = { .quota = pprof_quota_get() };

	current = task;
	assert_int_equal(pprof_thread_labels_new(process.quota, &process.thread_labels), 0);
	assert_int_equal(pprof_thread_labels_add(process.thread_labels, &label), 0);
	process.set = label.set;
	return process;
}

static void end_process(struct process *process)
{
	pprof_thread_labels_free(process->thread_labels);
	pprof_quota_put(process->quota);
}

/* NULL: none is to be had. */
static u32 *word_of(struct process *process, struct task_struct *task)
{
	struct pprof_label_slot word = { 0 };
	int err;

	current = task;
	err = pprof_thread_labels_slot(process->thread_labels, &word);
	if (err) {
		assert_int_equal(err, -ENOSPC);
		return NULL;
	}
	assert_int_equal(word.address % sizeof(u32), 0);
	return (u32 *)(uintptr_t)word.address;
}

static bool has_labels(struct task_struct *task, const struct process *process)
{
	const struct pprof_label_set *set = pprof_thread_labels_find(task);

	return set && (u32)set->id == process->set;
}

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < NR_TASKS; i++)
		*nth(i) = (struct task_struct) { .pid = 1000 + i };
	hook_error = 0;
	privileged = false;
	uid = 1000;
	mapped = 1;
	return 0;
}

/* No thread has labels any more; ASan finds what is not freed. */
static int teardown(void **state)
{
	(void)state;
	assert_false(pprof_thread_labels_any());
	return 0;
}

static bool nothing_is_held(struct pprof_quota *quota)
{
	bool nothing = pprof_quota_charge(quota, 64 << 20);

	if (nothing)
		pprof_quota_uncharge(quota, 64 << 20);
	return nothing;
}

static void test_one_thread(void **state)
{
	struct process process = begin_process(nth(0));
	u32 *word;

	(void)state;
	assert_false(pprof_thread_labels_any());
	assert_null(pprof_thread_labels_find(nth(0)));
	word = word_of(&process, nth(0));
	assert_true(pprof_thread_labels_any());
	assert_ptr_equal(word_of(&process, nth(0)), word);
	assert_int_equal(*word, 0);
	assert_false(has_labels(nth(0), &process));
	*word = process.set;
	assert_true(has_labels(nth(0), &process));
	assert_null(pprof_thread_labels_find(nth(1)));
	*word = process.set + 1;
	assert_null(pprof_thread_labels_find(nth(0)));
	*word = process.set;
	end_thread(nth(0));
	assert_null(pprof_thread_labels_find(nth(0)));
	assert_false(pprof_thread_labels_any());
	assert_false(nothing_is_held(process.quota));
	pprof_thread_labels_free(process.thread_labels);
	assert_true(nothing_is_held(process.quota));
	pprof_quota_put(process.quota);
}

static void test_heirs(void **state)
{
	struct process process = begin_process(nth(0));
	u32 *word = word_of(&process, nth(0));

	(void)state;
	*word = process.set;
	nth(1)->flags = PF_KTHREAD;
	make_thread(nth(1));
	assert_null(pprof_thread_labels_find(nth(1)));
	make_thread(nth(2));
	assert_true(has_labels(nth(2), &process));
	*word = 0;
	assert_true(has_labels(nth(2), &process));
	current = nth(3);
	make_thread(nth(4));
	assert_null(pprof_thread_labels_find(nth(4)));
	*word_of(&process, nth(2)) = 12345;
	end_thread(nth(2));
	/* Not the value of the thread that had the slot before */
	assert_int_equal(*word_of(&process, nth(5)), 0);
	end_process(&process);
}

/* Who has no labels has none to pass on, and needs no place for them. */
static void test_heirs_of_nothing(void **state)
{
	struct process process = begin_process(nth(0));

	(void)state;
	word_of(&process, nth(0));
	make_thread(nth(1));
	assert_int_equal(pprof_thread_labels_nr, 1);
	end_process(&process);
}

static void test_processes(void **state)
{
	struct process one = begin_process(nth(0)), two = begin_process(nth(1));

	(void)state;
	*word_of(&one, nth(0)) = one.set;
	*word_of(&two, nth(1)) = two.set;
	assert_true(has_labels(nth(0), &one));
	assert_true(has_labels(nth(1), &two));
	assert_null(word_of(&two, nth(0)));	/* never another process's address */
	*word_of(&two, nth(1)) = one.set;
	assert_null(pprof_thread_labels_find(nth(1)));
	end_process(&one);
	assert_null(pprof_thread_labels_find(nth(0)));
	*word_of(&two, nth(1)) = two.set;
	assert_true(has_labels(nth(1), &two));
	end_process(&two);
}

/* An exec may make a thread its process's leader, with another number. */
static void test_exec(void **state)
{
	struct process process = begin_process(nth(0));
	pid_t old_pid = nth(1)->pid;

	(void)state;
	*word_of(&process, nth(1)) = process.set;
	end_thread(nth(0));
	nth(1)->pid = nth(0)->pid;
	execute(nth(1), old_pid);
	assert_null(pprof_thread_labels_find(nth(1)));
	assert_false(pprof_thread_labels_any());
	end_process(&process);
}

/* It has the other number by then, and ends with it: another may come to be where it was. */
static void test_exec_that_fails_late(void **state)
{
	struct process process = begin_process(nth(0));

	(void)state;
	*word_of(&process, nth(1)) = process.set;
	end_thread(nth(0));
	nth(1)->pid = nth(0)->pid;
	assert_true(has_labels(nth(1), &process));
	end_thread(nth(1));
	assert_false(pprof_thread_labels_any());
	end_process(&process);
}

/* How many of them get a word, from the first on. */
static int give_words(struct process *process, int first, int nr)
{
	int got = 0;

	while (got < nr && word_of(process, nth(first + got)))
		got++;
	return got;
}

static void test_bound_of_a_process(void **state)
{
	struct process process;

	(void)state;
	privileged = true;
	process = begin_process(nth(0));
	privileged = false;
	assert_int_equal(give_words(&process, 0, OF_A_PROCESS + 1), OF_A_PROCESS);
	end_thread(nth(17));
	assert_non_null(word_of(&process, nth(OF_A_PROCESS)));
	assert_null(word_of(&process, nth(17)));
	end_process(&process);
}

static void test_bound_of_a_user(void **state)
{
	struct process one = begin_process(nth(0)), two = begin_process(nth(1)), other;

	(void)state;
	assert_int_equal(give_words(&one, 0, 1000), 1000);
	assert_int_equal(give_words(&two, 1000, OF_A_USER), OF_A_USER - 1000);
	assert_null(word_of(&one, nth(5000)));
	*word_of(&one, nth(0)) = one.set;
	make_thread(nth(5000));
	assert_null(pprof_thread_labels_find(nth(5000)));
	uid++;
	other = begin_process(nth(5000));
	assert_int_equal(give_words(&other, 5000, 1000), 1000);
	end_thread(nth(1));
	assert_non_null(word_of(&one, nth(4000)));
	end_process(&one);
	assert_int_equal(give_words(&two, OF_A_USER, 1000), 1000);
	end_process(&two);
	end_process(&other);
}

/* Fails if many ids of a user exceed the bound on all users, or if CAP_PERFMON counts for it. */
static void test_bound_of_all(void **state)
{
	struct process processes[5];

	(void)state;
	privileged = true;
	processes[4] = begin_process(nth(0));
	privileged = false;
	assert_int_equal(give_words(&processes[4], 6500, 400), 400);
	for (int i = 0; i < 3; i++) {
		uid++;
		processes[i] = begin_process(nth(0));
		assert_int_equal(give_words(&processes[i], i * OF_A_USER, OF_A_USER), OF_A_USER);
	}
	for (int i = 0; i < 3 * OF_A_USER; i += 2)
		end_thread(nth(i));
	for (int i = 0; i < 6; i++)	/* they come again, and all are found */
		assert_int_equal(give_words(&processes[i % 3], i % 3 * OF_A_USER, OF_A_USER),
				 OF_A_USER);
	uid++;
	processes[3] = begin_process(nth(0));
	assert_null(word_of(&processes[3], nth(6900)));
	assert_int_equal(give_words(&processes[4], 6900, 100), 100);
	for (int i = 0; i < 5; i++)
		end_process(&processes[i]);
}

/* What all share comes once, and stays: the first test. */
static void test_what_fails(void **state)
{
	struct pprof_quota *quota = pprof_quota_get();
	struct pprof_thread_labels *thread_labels;

	(void)state;
	for (long n = 0; n < 4; n++) {	/* itself, its words; slots, workers */
		allocations_left = n;
		assert_int_equal(pprof_thread_labels_new(quota, &thread_labels), -ENOMEM);
		allocations_left = -1;
		assert_true(nothing_is_held(quota));
	}
	hook_error = -EEXIST;
	assert_int_equal(pprof_thread_labels_new(quota, &thread_labels), -EEXIST);
	assert_null(probes[PPROF_TRACEPOINT_EXIT]);
	hook_error = 0;
	mapped = 0;
	assert_int_equal(pprof_thread_labels_new(quota, &thread_labels), -ENOMEM);
	assert_non_null(probes[PPROF_TRACEPOINT_EXIT]);
	mapped = 1;
	assert_true(nothing_is_held(quota));
	assert_true(pprof_quota_charge(quota, 64 << 20));
	assert_int_equal(pprof_thread_labels_new(quota, &thread_labels), -ENOSPC);
	pprof_quota_uncharge(quota, 64 << 20);
	pprof_quota_put(quota);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_heirs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_heirs_of_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec_that_fails_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bound_of_a_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bound_of_a_user, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bound_of_all, setup, teardown),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	pprof_thread_labels_exit();
	for (int i = 0; i < PPROF_NR_TRACEPOINTS; i++)
		assert_null(probes[i]);
	return failed;
}
