// SPDX-License-Identifier: GPL-2.0
// sources: kmod/client/client.c kmod/client/custom_profiles.c kmod/base/user_quota.c
// include: -Itests/unit/shim
/* The processes, their exec ids and their memory are played by this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "kmod/base/exec_id.h"
#include "kmod/client/client.h"
#include "kmod/client/thread_labels.h"
#include "quota.h"

#define NR_PROCESSES	1100
#define MAX_CLIENTS	1024
#define MAX_BYTES	(64UL << 20)

static struct process {
	struct task_struct task;	/* first: the only thread that is looked at */
	struct pid pid;
	struct signal_struct signal;
	u32 uid;
	struct mm_struct memory[2];
} processes[NR_PROCESSES];

static struct process *const a = &processes[0], *const b = &processes[1];
static bool privileged;

int shim_nr_held;
unsigned long jiffies = 1000;
struct work_struct *shim_queued;
struct task_struct *current;
static unsigned int nr_looked_at;

u64 pprof_process_exec_id(struct pid *pid)
{
	const struct process *process = shim_entry(pid, struct process, pid);

	nr_looked_at++;
	return atomic_read(&process->signal.live) ? pprof_exec_id(&process->task) : 0;
}

kuid_t current_uid(void)
{
	return (kuid_t) { ((const struct process *)current)->uid };
}

void get_random_bytes(void *to, size_t bytes)
{
	memset(to, 7, bytes);
}

bool ns_capable_noaudit(struct user_namespace *ns, int cap)
{
	(void)ns;
	(void)cap;
	return privileged;
}

unsigned long copy_from_user(void *to, const void *from, unsigned long bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return 0;
}

/* Labels are another part's: only that they begin and end. */
struct pprof_thread_labels {
	int nr_calls;
};

static int nr_labelled;
static u32 nr_kept(struct pprof_client *client);
static struct pprof_client *read_meanwhile;

/* It waits for the process's memory, for which the process may have others wait for ever. */
int pprof_thread_labels_new(struct pprof_quota *quota, struct pprof_thread_labels **thread_labels)
{
	assert_non_null(quota);
	if (read_meanwhile)
		nr_kept(read_meanwhile);
	*thread_labels = calloc(1, sizeof(**thread_labels));
	nr_labelled++;
	return 0;
}

void pprof_thread_labels_free(struct pprof_thread_labels *thread_labels)
{
	free(thread_labels);
	nr_labelled--;
}

bool pprof_label_is_valid(const struct pprof_label *label)
{
	return label->key[0];
}

int pprof_thread_labels_add(struct pprof_thread_labels *thread_labels, struct pprof_label *label)
{
	label->set = ++thread_labels->nr_calls;
	return 0;
}

int pprof_thread_labels_slot(struct pprof_thread_labels *thread_labels,
			     struct pprof_label_slot *word)
{
	word->address = ++thread_labels->nr_calls;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(processes, 0, sizeof(processes));
	for (int i = 0; i < NR_PROCESSES; i++) {
		struct process *process = &processes[i];

		process->task.process = &process->pid;
		process->task.signal = &process->signal;
		process->task.mm = process->memory;
		process->signal.live.counter = 1;
		process->task.group_leader = &process->task;
		process->task.start_time = 1000;	/* all the same: a number is no name */
		process->uid = 1000;
	}
	privileged = false;
	return 0;
}

/* Nothing is kept, and no process is held any more; ASan finds what is not freed. */
static int teardown(void **state)
{
	(void)state;
	pprof_client_exit();
	for (int i = 0; i < NR_PROCESSES; i++)
		assert_int_equal(processes[i].pid.refs, 0);
	return 0;
}

/* Who was found to have ended is ended. */
static void work(void)
{
	if (shim_queued)
		flush_work(shim_queued);
	shim_queued = NULL;
}

static struct pprof_client *open_file(struct process *process)
{
	struct pprof_client *client;
	int err;

	current = &process->task;
	jiffies++;
	err = pprof_client_get(&client);
	work();
	return err ? ERR_PTR(err) : client;
}

static int act(struct pprof_client *client, u32 op, u64 value, u32 nr_frames)
{
	static u64 frames[PPROF_MAX_FRAMES];
	struct pprof_custom custom = {
		.op = op, .value = value, .nr_frames = nr_frames,
		.frames = nr_frames ? (uintptr_t)frames : 0, .name = "v",
	};

	return pprof_client_custom(client, &custom);
}

/* It keeps one profile, of one value. */
static struct pprof_client *open_and_add(struct process *process)
{
	struct pprof_client *client = open_file(process);

	assert_false(IS_ERR(client));
	assert_int_equal(act(client, PPROF_CUSTOM_NEW, 0, 0), 0);
	assert_int_equal(act(client, PPROF_CUSTOM_ADD, 1, 2), 0);
	return client;
}

static u32 nr_kept(struct pprof_client *client)
{
	struct pprof_custom_list list = { 0 };

	assert_int_equal(pprof_client_list(client, &list), 0);
	return list.nr;
}

static bool is_found(struct process *process, u64 exec_id)
{
	struct pprof_client *client;

	jiffies++;
	client = pprof_client_find(&process->pid, exec_id);
	work();
	if (client)
		pprof_client_put(client);
	return client;
}

/* Whose image has the same number is another process. */
static void test_twins(void **state)
{
	struct pprof_client *client = open_and_add(a), *twin;

	(void)state;
	assert_false(is_found(b, pprof_exec_id(&b->task)));
	twin = open_file(b);
	assert_ptr_not_equal(twin, client);
	assert_int_equal(nr_kept(twin), 0);
	assert_int_equal(act(client, PPROF_CUSTOM_COUNT, 0, 0), -ESRCH);
	assert_int_equal(act(twin, PPROF_CUSTOM_COUNT, 0, 0), -ENOENT);
	pprof_client_flush(client);	/* b closes a's */
	assert_int_equal(nr_kept(client), 1);
	pprof_client_put(twin);
	pprof_client_put(client);
}

static void test_all_files_are_one(void **state)
{
	struct pprof_client *client = open_and_add(a), *again = open_file(a);

	(void)state;
	assert_ptr_equal(client, again);
	pprof_client_flush(client);
	pprof_client_put(client);
	pprof_client_put(again);
	assert_true(is_found(a, pprof_exec_id(&a->task)));	/* it goes with the process */
	client = open_file(a);
	assert_int_equal(nr_kept(client), 1);
	pprof_client_put(client);
}

/* First the memory is another, then files are closed, then the image is another. */
static void test_exec(void **state)
{
	struct pprof_client *client = open_and_add(a), *next;

	(void)state;
	current->mm = &a->memory[1];
	pprof_client_flush(client);
	assert_int_equal(nr_kept(client), 0);
	pprof_client_put(client);
	a->task.self_exec_id++;
	assert_false(is_found(a, pprof_exec_id(&a->task) - 1));
	assert_false(is_found(a, pprof_exec_id(&a->task)));
	next = open_and_add(a);
	assert_int_equal(nr_kept(next), 1);
	pprof_client_put(next);
}

/* Others have the file, or it has none. */
static void test_exec_that_closes_nothing(void **state)
{
	struct pprof_client *client = open_and_add(a), *next;

	(void)state;
	a->task.self_exec_id++;
	assert_int_equal(act(client, PPROF_CUSTOM_ADD, 2, 0), -ESRCH);
	assert_false(is_found(b, pprof_exec_id(&b->task)));
	assert_int_equal(nr_kept(client), 0);
	pprof_client_put(client);
	client = open_and_add(a);
	a->task.self_exec_id++;
	next = open_file(a);
	assert_ptr_not_equal(next, client);
	assert_int_equal(nr_kept(client), 0);
	pprof_client_put(next);
	pprof_client_put(client);
}

static void test_end(void **state)
{
	struct pprof_client *client = open_and_add(a);

	(void)state;
	a->task.mm = NULL;
	pprof_client_flush(client);	/* a thread ends, and had files of its own */
	assert_int_equal(nr_kept(client), 1);
	a->signal.live.counter = 0;
	pprof_client_flush(client);
	assert_int_equal(nr_kept(client), 0);
	pprof_client_flush(client);
	pprof_client_put(client);
	assert_false(is_found(a, pprof_exec_id(&a->task)));
}

/* Fails if the values of a process that ended stay while its file is open. */
static void test_end_that_closes_nothing(void **state)
{
	struct pprof_client *kept = open_and_add(a), *other;

	(void)state;
	a->signal.live.counter = 0;
	other = open_file(b);
	assert_int_equal(nr_kept(kept), 0);
	current = &a->task;
	pprof_client_flush(kept);
	pprof_client_put(kept);
	pprof_client_put(other);
}

/* It was found before it ended. */
static void test_end_while_it_is_read(void **state)
{
	struct pprof_custom_read read = { .bytes = PPROF_MIN_CUSTOM_BYTES, .name = "v" };
	struct pprof_client *client = open_and_add(a), *found;
	u64 buffer[PPROF_MIN_CUSTOM_BYTES / 8];

	(void)state;
	found = pprof_client_find(&a->pid, pprof_exec_id(&a->task));
	pprof_client_put(client);
	read.data = (uintptr_t)buffer;
	assert_int_equal(pprof_client_read(found, &read), 0);
	assert_int_equal(read.bytes, sizeof(struct pprof_custom_value) + 2 * sizeof(u64));
	a->signal.live.counter = 0;
	assert_false(is_found(b, pprof_exec_id(&b->task)));
	assert_int_equal(pprof_client_read(found, &read), -ENOENT);
	pprof_client_put(found);
}

static void test_too_many(void **state)
{
	struct pprof_client *client;

	(void)state;
	for (int i = 0; i < MAX_CLIENTS; i++)
		pprof_client_put(open_file(&processes[i]));
	pprof_client_put(open_file(a));	/* it is one of them */
	assert_int_equal(PTR_ERR(open_file(&processes[MAX_CLIENTS])), -EMFILE);
	processes[MAX_CLIENTS].uid++;
	pprof_client_put(open_file(&processes[MAX_CLIENTS]));
	privileged = true;
	pprof_client_put(open_file(&processes[MAX_CLIENTS + 1]));
	privileged = false;
	assert_int_equal(PTR_ERR(open_file(&processes[MAX_CLIENTS + 2])), -EMFILE);
	for (int i = 0; i < 2; i++)
		processes[i].signal.live.counter = 0;
	client = open_file(&processes[MAX_CLIENTS + 2]);
	assert_false(IS_ERR(client));
	pprof_client_put(client);
}

/* Fails if open() frees values: meanwhile no process can open any misc device. */
static void test_others_values_are_not_freed_at_once(void **state)
{
	struct pprof_client *kept = open_and_add(a), *other;

	(void)state;
	a->signal.live.counter = 0;
	jiffies++;
	current = &b->task;
	assert_int_equal(pprof_client_get(&other), 0);
	assert_int_equal(nr_kept(kept), 1);
	work();
	assert_int_equal(nr_kept(kept), 0);
	pprof_client_put(kept);
	pprof_client_put(other);
}

/* Fails if each open() looks at all clients: processes that end wait for the list meanwhile. */
static void test_looks_at_all_once_a_jiffy(void **state)
{
	struct pprof_client *client;

	(void)state;
	for (int i = 0; i < MAX_CLIENTS; i++)
		pprof_client_put(open_file(&processes[i]));
	a->signal.live.counter = 0;
	current = &processes[MAX_CLIENTS].task;
	nr_looked_at = 0;
	assert_int_equal(pprof_client_get(&client), -EMFILE);
	assert_int_equal(nr_looked_at, 0);
	jiffies++;
	assert_int_equal(pprof_client_get(&client), 0);
	assert_int_equal(nr_looked_at, MAX_CLIENTS);
	pprof_client_put(client);
	current = &processes[MAX_CLIENTS + 1].task;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(pprof_client_get(&client), -EMFILE);
	assert_int_equal(nr_looked_at, MAX_CLIENTS);
}

/* How many values of this many frames the process can add: until one is refused. */
static u64 fill(struct process *process, u32 nr_frames)
{
	struct pprof_client *client = open_file(process);
	u64 nr = 0;
	int err = 0;

	assert_int_equal(act(client, PPROF_CUSTOM_NEW, 0, 0), 0);
	while (!err)
		err = act(client, PPROF_CUSTOM_ADD, nr++, nr_frames);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(act(client, PPROF_CUSTOM_REMOVE, 0, 0), 0);
	assert_int_equal(act(client, PPROF_CUSTOM_ADD, 0, nr_frames), 0);
	pprof_client_put(client);
	return nr - 1;
}

/* By processes that may have all that one may, until the user's share is used up. */
static void test_too_much(void **state)
{
	u64 nr = 0, most = PPROF_MAX_CUSTOM_FRAMES / PPROF_MAX_FRAMES, got;

	(void)state;
	for (int i = 0; i < 3; i++) {
		got = fill(&processes[i], PPROF_MAX_FRAMES);
		assert_int_equal(got, most);
		nr += got;
	}
	got = fill(&processes[3], PPROF_MAX_FRAMES);
	nr += got;
	assert_true(got > 0 && got < most);
	assert_in_range(nr * PPROF_MAX_FRAMES * sizeof(u64), MAX_BYTES * 9 / 10, MAX_BYTES);
	for (int i = 0; i < 3; i++)
		processes[i].signal.live.counter = 0;
	assert_int_equal(fill(&processes[4], PPROF_MAX_FRAMES), most);
	processes[5].uid++;
	assert_int_equal(fill(&processes[5], PPROF_MAX_FRAMES), most);
}

/* Fails if another process can use the labels of the client, or if they stay after its end. */
static void test_labels(void **state)
{
	struct pprof_client *client = open_file(a), *again = open_file(a), *other;
	struct pprof_label label = { 0 };
	struct pprof_label_slot word = { 0 };

	(void)state;
	assert_int_equal(pprof_client_label(client, &label), -EINVAL);
	assert_int_equal(nr_labelled, 0);
	label.key[0] = 'k';
	read_meanwhile = client;
	assert_int_equal(pprof_client_label(client, &label), 0);
	read_meanwhile = NULL;
	assert_int_equal(pprof_client_label_slot(again, &word), 0);
	assert_int_equal(nr_labelled, 1);
	assert_int_equal(word.address, 2);
	other = open_file(b);
	assert_int_equal(pprof_client_label(client, &label), -ESRCH);
	assert_int_equal(pprof_client_label_slot(client, &word), -ESRCH);
	assert_int_equal(pprof_client_label_slot(other, &word), 0);
	assert_int_equal(word.address, 1);
	assert_int_equal(nr_labelled, 2);
	b->signal.live.counter = 0;
	assert_false(is_found(b, pprof_exec_id(&b->task)));
	assert_int_equal(nr_labelled, 1);
	pprof_client_put(other);
	pprof_client_put(client);
	pprof_client_put(again);
	assert_int_equal(nr_labelled, 1);
	pprof_client_exit();
	assert_int_equal(nr_labelled, 0);
}

static void test_no_memory_of_its_own(void **state)
{
	(void)state;
	a->task.mm = NULL;
	assert_int_equal(PTR_ERR(open_file(a)), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_twins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_files_are_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec_that_closes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_that_closes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_while_it_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others_values_are_not_freed_at_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_looks_at_all_once_a_jiffy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_much, setup, teardown),
		cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_memory_of_its_own, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
