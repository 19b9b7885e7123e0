// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/process_events.c kmod/record/target.c
// libs: -Wl,--wrap=pprof_target_remove,--wrap=pprof_target_end_moves
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/*
 * The test calls the probes of the process events, as the kernel's tracepoints do, and reads
 * the records. The set of targets is the module's. The test replaces the rings, the unwind
 * tables, the context switches and the queue of mappings. It notes their calls, in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/pid.h>
#include <linux/sched/exec_state.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "kmod/base/tracepoints.h"
#include "kmod/record/process_events.h"

#define PARENT	100
#define CHILD	200
#define OTHER	300
#define MAX_CALLS	16

struct pid_namespace init_pid_ns;
struct task_struct *current;
bool shim_irqs_are_off;

static struct pid_namespace below = { .level = 1 };
static struct task_exec_state exec_state;
static struct mm_struct mm;
static struct pid process;
static struct signal_struct signal_state;
static struct task_struct parent, child;
static struct pprof_target target;
static struct pprof_session_tables tables;
static struct pprof_sink sink;
static struct pprof_process_events process_events;
static struct linux_binprm program;

static void *probes[PPROF_NR_TRACEPOINTS], *data_of[PPROF_NR_TRACEPOINTS];
static int nr_adds, failing_add, mmap_error;
static bool mmap_exists, another_thread_ends;

static union {
	struct pprof_event ev;
	struct pprof_fork fork;
	struct pprof_exec exec;
	struct pprof_comm comm;
	struct pprof_thread_end thread_end;
	u8 bytes[256];
} record;
static u32 reserved_bytes;
static bool no_room;
static struct pprof_ring ring;
static int nr_commits, nr_wakeups;

/* A letter for each call that the code under test makes. */
static char calls[MAX_CALLS];
static pid_t forked_from, forked_to, dropped;
static u64 dropped_for;

static void on_exit_of(struct task_struct *task, bool group_dead);

static void note(char call)
{
	size_t nr = strlen(calls);

	assert_true(nr < MAX_CALLS - 1);
	calls[nr] = call;
}

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	return calloc(1, size);
}

int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data)
{
	if (++nr_adds == failing_add)
		return -ENOMEM;
	assert_null(probes[hook]);
	probes[hook] = probe;
	data_of[hook] = data;
	return 0;
}

void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data)
{
	assert_ptr_equal(probes[hook], probe);
	assert_ptr_equal(data_of[hook], data);
	probes[hook] = NULL;
	note('p');
}

int pprof_mmap_events_new(struct pprof_sink *of, struct pprof_mmap_events **mmap_events)
{
	assert_ptr_equal(of, &sink);
	if (mmap_error)
		return mmap_error;
	mmap_exists = true;
	*mmap_events = (void *)&mmap_exists;
	return 0;
}

void pprof_mmap_events_flush(struct pprof_mmap_events *mmap_events)
{
	assert_ptr_equal(mmap_events, &mmap_exists);
	note('F');
}

void pprof_mmap_events_free(struct pprof_mmap_events *mmap_events)
{
	assert_ptr_equal(mmap_events, &mmap_exists);
	assert_true(mmap_exists);
	mmap_exists = false;
	note('m');
}

void pprof_session_tables_fork(struct pprof_session_tables *of, pid_t from, pid_t to, u64 exec_id)
{
	assert_ptr_equal(of, &tables);
	assert_int_equal(exec_id, pprof_exec_id(&child));
	forked_from = from;
	forked_to = to;
	note('f');
}

void pprof_session_tables_drop(struct pprof_session_tables *of, pid_t tgid, u64 exec_id)
{
	assert_ptr_equal(of, &tables);
	dropped = tgid;
	dropped_for = exec_id;
	note('d');
}

void pprof_switches_drop(const struct pprof_switches *switches)
{
	assert_ptr_equal(switches, &sink.switches);
	assert_true(shim_irqs_are_off);
	note('s');
}

/* A record keeps old bytes of the ring until the code fills them. */
void *pprof_record_event(struct pprof_sink *of, struct task_struct *task, u32 type, u32 bytes)
{
	assert_ptr_equal(of, &sink);
	assert_true(shim_irqs_are_off);
	note('r');
	if (no_room)
		return NULL;
	memset(&record, 0xff, sizeof(record));
	record.ev.rec.type = type;
	record.ev.pid = task->tgid;
	record.ev.tid = task->pid;
	record.ev.exec_id = pprof_exec_id(task);
	reserved_bytes = bytes;
	return &record;
}

void pprof_record_commit(struct pprof_sink *of, void *committed)
{
	assert_ptr_equal(committed, &record);
	assert_true(shim_irqs_are_off);
	nr_commits++;
	note('c');
}

struct pprof_ring *pprof_record_ring(struct pprof_sink *of)
{
	assert_true(shim_irqs_are_off);
	return &ring;
}

void pprof_ring_set_urgent(struct pprof_ring *of)
{
	assert_ptr_equal(of, &ring);
	note('u');
}

static void wake(struct irq_work *work)
{
	nr_wakeups++;
	note('w');
}

static int nr_ends;

void __real_pprof_target_end_moves(struct pprof_target *of);
void __wrap_pprof_target_end_moves(struct pprof_target *of);

void __wrap_pprof_target_end_moves(struct pprof_target *of)
{
	nr_ends++;
	__real_pprof_target_end_moves(of);
}

bool __real_pprof_target_remove(struct pprof_target *of, pid_t tgid);
bool __wrap_pprof_target_remove(struct pprof_target *of, pid_t tgid);

/* Another thread of the process may end, too, after this one saw that it is of a target. */
bool __wrap_pprof_target_remove(struct pprof_target *of, pid_t tgid)
{
	if (another_thread_ends) {
		another_thread_ends = false;
		on_exit_of(current, true);
	}
	return __real_pprof_target_remove(of, tgid);
}

static struct task_struct task_of(pid_t tgid, struct task_struct *leader)
{
	return (struct task_struct) {
		.pid = tgid, .tgid = tgid, .tgid_below = tgid / 100, .process = &process,
		.signal = &signal_state, .mm = &mm, .exec_state = &exec_state,
		.group_leader = leader, .start_time = 1000 * tgid, .self_exec_id = 1, .comm = "name",
	};
}

/* Without @all the parent is the only target. */
static void follow(struct pid_namespace *ns, bool all, bool children, bool thread_ends)
{
	assert_int_equal(pprof_target_init(&target, ns, all, children), 0);
	pprof_target_add(&target, PARENT);
	assert_int_equal(pprof_process_events_init(&process_events, &sink, thread_ends), 0);
}

static int begin(void **state)
{
	exec_state = (struct task_exec_state) { .dumpable = TASK_DUMPABLE_OWNER };
	parent = task_of(PARENT, &parent);
	child = task_of(CHILD, &child);
	current = &parent;
	program = (struct linux_binprm) { 0 };
	sink = (struct pprof_sink) {
		.target = &target, .session_tables = &tables, .wakeup.irq.func = wake,
	};
	process_events = (struct pprof_process_events) { 0 };
	target = (struct pprof_target) { 0 };
	nr_adds = 0;
	failing_add = 0;
	mmap_error = 0;
	no_room = false;
	nr_commits = 0;
	nr_wakeups = 0;
	memset(calls, 0, sizeof(calls));
	memset(&record, 0, sizeof(record));
	shim_irqs_are_off = false;
	return 0;
}

static int end(void **state)
{
	assert_false(shim_irqs_are_off);
	pprof_process_events_fini(&process_events);
	for (int i = 0; i < PPROF_NR_TRACEPOINTS; i++)
		assert_null(probes[i]);
	assert_false(mmap_exists);
	pprof_target_fini(&target);
	return 0;
}

/* These call a probe as the tracepoint of the newest kernel does. */
static void on_newtask(struct task_struct *task, u64 clone_flags)
{
	void (*probe)(void *, struct task_struct *, u64) = probes[PPROF_TRACEPOINT_NEWTASK];

	probe(data_of[PPROF_TRACEPOINT_NEWTASK], task, clone_flags);
}

static void on_exec(void)
{
	void (*probe)(void *, struct task_struct *, pid_t, struct linux_binprm *) =
		probes[PPROF_TRACEPOINT_EXEC];

	current->self_exec_id++;
	probe(data_of[PPROF_TRACEPOINT_EXEC], current, current->pid, &program);
}

static void on_exit_of(struct task_struct *task, bool group_dead)
{
	void (*probe)(void *, struct task_struct *, bool) = probes[PPROF_TRACEPOINT_EXIT];

	probe(data_of[PPROF_TRACEPOINT_EXIT], task, group_dead);
}

static void on_rename(struct task_struct *task, const char *comm)
{
	void (*probe)(void *, struct task_struct *, const char *) =
		probes[PPROF_TRACEPOINT_RENAME];

	probe(data_of[PPROF_TRACEPOINT_RENAME], task, comm);
}

static void assert_record(u32 type, const struct task_struct *task, u32 bytes)
{
	assert_int_equal(nr_commits, 1);
	assert_int_equal(record.ev.rec.type, type);
	assert_int_equal(record.ev.pid, task->tgid);
	assert_int_equal(record.ev.tid, task->pid);
	assert_int_equal(reserved_bytes, bytes);
}

/*
 * Fails if the child is no target, is added after its record, has no ranges, or if the record has
 * ids of the parent.
 */
static void test_a_fork(void **state)
{
	follow(&init_pid_ns, false, true, false);
	on_newtask(&child, 0);
	assert_true(pprof_target_has(&target, &child));
	assert_string_equal(calls, "frc");
	assert_int_equal(forked_from, PARENT);
	assert_int_equal(forked_to, CHILD);
	assert_record(PPROF_REC_FORK, &parent, sizeof(struct pprof_fork));
	assert_int_equal(record.fork.child_pid, CHILD);
	assert_int_equal(record.fork.child_exec_id, pprof_exec_id(&child));
	assert_int_equal(record.fork.pad, 0);
}

/* Fails if a child is reported whose end will not be. */
static void test_a_fork_without_children(void **state)
{
	follow(&init_pid_ns, false, false, false);
	on_newtask(&child, 0);
	assert_false(pprof_target_has(&target, &child));
	assert_string_equal(calls, "");
}

/* Fails if a new thread is taken for a process. */
static void test_a_thread(void **state)
{
	follow(&init_pid_ns, false, true, false);
	child.tgid = PARENT;
	on_newtask(&child, CLONE_THREAD);
	assert_string_equal(calls, "");
}

/* Fails if processes that are no targets are followed. */
static void test_other_processes(void **state)
{
	follow(&init_pid_ns, false, true, true);
	parent = task_of(OTHER, &parent);
	on_newtask(&child, 0);
	on_exec();
	on_rename(&parent, "other");
	on_exit_of(&parent, false);
	on_exit_of(&parent, true);
	assert_false(pprof_target_has(&target, &child));
	assert_string_equal(calls, "");
}

static struct cgroup in, out;

static void follow_cgroup(void)
{
	follow(&init_pid_ns, false, false, false);
	in = (struct cgroup) { .self.flags = CSS_ONLINE, .root = &cgrp_dfl_root, .dom_cgrp = &in };
	out = (struct cgroup) { .self.flags = CSS_ONLINE, .root = &cgrp_dfl_root };
	shim_opened = &in;
	assert_int_equal(pprof_target_set_cgroup(&target, 7), 0);
	signal_state.live.counter = 1;
}

/* The cgroup of the child decides: clone3() may put it elsewhere. */
static void test_a_fork_in_a_cgroup(void **state)
{
	follow_cgroup();
	child.cgroup = &in;
	on_newtask(&child, 0);
	assert_true(pprof_target_has(&target, &child));
	assert_string_equal(calls, "frc");
	assert_record(PPROF_REC_FORK, &parent, sizeof(struct pprof_fork));
	pprof_target_remove(&target, CHILD);
	child.cgroup = &out;
	on_newtask(&child, 0);
	assert_false(pprof_target_has(&target, &child));
	assert_string_equal(calls, "frc");
}

/* Fails if a fork from outside is not seen, or is reported as one of a target. */
static void test_a_fork_into_a_cgroup(void **state)
{
	follow_cgroup();
	pprof_target_remove(&target, PARENT);
	child.cgroup = &in;
	child.tgid = PARENT;
	on_newtask(&child, CLONE_THREAD);
	assert_string_equal(calls, "");
	child.tgid = CHILD;
	on_newtask(&child, 0);
	assert_true(pprof_target_has(&target, &child));
	assert_string_equal(calls, "rcuw");
	assert_record(PPROF_REC_ENTER, &child, sizeof(struct pprof_enter));
}

/* Fails if ranges stay, which a later exec or unmapping makes wrong. */
static void test_a_process_leaves(void **state)
{
	follow_cgroup();
	pprof_process_events_leave(&sink, &child);
	assert_string_equal(calls, "drc");
	assert_int_equal(dropped, CHILD);
	assert_int_equal(dropped_for, 0);
	assert_record(PPROF_REC_DROP, &child, sizeof(struct pprof_drop));
}

/* Fails if the end is not ordered with moves. Only the last thread must take the lock. */
static void test_an_end_in_a_cgroup(void **state)
{
	follow_cgroup();
	on_exit_of(&parent, true);
	assert_false(pprof_target_has(&target, &parent));
	nr_ends = 0;
	on_exit_of(&child, false);
	assert_int_equal(nr_ends, 0);
	on_exit_of(&child, true);
	assert_int_equal(nr_ends, 1);
}

/* Fails if the child of a process becomes a target that may turn out to be the wrong one. */
static void test_a_fork_of_an_unchecked_target(void **state)
{
	follow(&init_pid_ns, false, true, false);
	parent = task_of(OTHER, &parent);
	assert_true(pprof_target_add_unchecked(&target, OTHER));
	on_newtask(&child, 0);
	assert_false(pprof_target_has(&target, &child));
	assert_string_equal(calls, "");
	pprof_target_end_check(&target);
	on_newtask(&child, 0);
	assert_true(pprof_target_has(&target, &child));
}

/* It may be a stranger's process, which has the number of one that was checked. */
static void test_events_of_an_unchecked_target(void **state)
{
	follow(&init_pid_ns, false, true, true);
	parent = task_of(OTHER, &parent);
	assert_true(pprof_target_add_unchecked(&target, OTHER));
	on_exec();
	on_rename(&parent, "other");
	on_exit_of(&parent, false);
	assert_string_equal(calls, "");
	assert_true(pprof_target_has(&target, &parent));
	on_exit_of(&parent, true);
	assert_string_equal(calls, "");
	assert_false(pprof_target_has(&target, &parent));
}

/* Fails if a child is followed only when its record finds room, or if a lost record is sent. */
static void test_a_lost_record(void **state)
{
	follow(&init_pid_ns, false, true, true);
	no_room = true;
	on_newtask(&child, 0);
	assert_true(pprof_target_has(&target, &child));
	on_exec();
	assert_int_equal(dropped_for, pprof_exec_id(&parent));
	on_rename(&parent, "other");
	on_exit_of(&parent, false);
	on_exit_of(&parent, true);
	assert_false(pprof_target_has(&target, &parent));
	assert_int_equal(nr_commits, 0);
}

/* Fails if a child of another namespace is reported, or with a number of the initial one. */
static void test_a_fork_in_a_namespace(void **state)
{
	follow(&below, true, false, false);
	on_newtask(&child, 0);
	assert_int_equal(record.fork.child_pid, CHILD / 100);
	child.tgid_below = 0;
	nr_commits = 0;
	on_newtask(&child, 0);
	assert_int_equal(nr_commits, 0);
}

/* Fails if the old ranges stay for samples after the record, or if an id is that of another run. */
static void test_an_exec(void **state)
{
	u64 old = pprof_exec_id(&parent);

	follow(&init_pid_ns, false, true, false);
	memset(parent.comm, 'x', sizeof(parent.comm));
	on_exec();
	assert_string_equal(calls, "drc");
	assert_int_equal(dropped, PARENT);
	assert_int_equal(dropped_for, old + 1);
	assert_record(PPROF_REC_EXEC, &parent, sizeof(struct pprof_exec));
	assert_int_equal(record.exec.ev.exec_id, old + 1);
	assert_int_equal(record.exec.old_exec_id, old);
	assert_int_equal(strnlen((char *)record.exec.comm, PPROF_COMM_LEN), PPROF_COMM_LEN - 1);
	assert_true(pprof_target_has(&target, &parent));
}

static void assert_dropped(void)
{
	assert_false(pprof_target_has(&target, &parent));
	assert_string_equal(calls, "sdrcw");
	assert_int_equal(dropped, PARENT);
	assert_int_equal(dropped_for, 0);
	assert_record(PPROF_REC_DROP, &parent, sizeof(struct pprof_event));
}

/* Fails if a session without rights goes on with a setuid program. */
static void test_an_exec_of_a_secure_program(void **state)
{
	follow(&init_pid_ns, false, true, false);
	program.secureexec = true;
	on_exec();
	assert_dropped();
}

/* Fails if a session without rights goes on with a program whose file its user may not read. */
static void test_an_exec_of_an_unreadable_program(void **state)
{
	follow(&init_pid_ns, false, true, false);
	exec_state.dumpable = 0;
	on_exec();
	assert_dropped();
}

/* Fails if CAP_PERFMON is not enough. */
static void test_an_exec_in_a_trusted_session(void **state)
{
	follow(&init_pid_ns, false, true, false);
	sink.trusted = true;
	program.secureexec = true;
	exec_state.dumpable = 0;
	on_exec();
	assert_record(PPROF_REC_EXEC, &parent, sizeof(struct pprof_exec));
	assert_true(pprof_target_has(&target, &parent));
}

/*
 * Fails if an end is reported twice, if a poller is woken before the last target ended or not at
 * all, or if a source still counts the time of the process.
 */
static void test_an_exit(void **state)
{
	follow(&init_pid_ns, false, true, false);
	pprof_target_add(&target, CHILD);
	on_exit_of(&parent, true);
	assert_string_equal(calls, "sdrc");
	assert_int_equal(dropped, PARENT);
	assert_int_equal(dropped_for, 0);
	assert_record(PPROF_REC_EXIT, &parent, sizeof(struct pprof_event));
	on_exit_of(&parent, true);
	assert_int_equal(nr_commits, 1);
	on_exit_of(&child, true);
	assert_int_equal(nr_commits, 2);
	assert_int_equal(nr_wakeups, 1);
}

/* Fails if both of two threads that seem to be the last one report the end. */
static void test_two_last_threads(void **state)
{
	follow(&init_pid_ns, false, true, false);
	another_thread_ends = true;
	on_exit_of(&parent, true);
	assert_false(another_thread_ends);
	assert_string_equal(calls, "sdrcw");
}

/* Fails if a thread's end is reported to a session that did not ask, or ends the target. */
static void test_the_end_of_a_thread(void **state)
{
	follow(&init_pid_ns, false, true, false);
	on_exit_of(&parent, false);
	assert_string_equal(calls, "");
	process_events.thread_ends = true;
	parent.pid = PARENT + 1;
	on_exit_of(&parent, false);
	assert_record(PPROF_REC_THREAD_END, &parent, sizeof(struct pprof_thread_end));
	assert_string_equal(calls, "rc");
	assert_true(pprof_target_has(&target, &parent));
}

/* Fails if the option of the session is lost on the way. */
static void test_thread_ends_are_asked_for(void **state)
{
	follow(&init_pid_ns, false, true, true);
	on_exit_of(&parent, false);
	assert_record(PPROF_REC_THREAD_END, &parent, sizeof(struct pprof_thread_end));
}

/* Fails if the sources stop to count a process before it is gone, where all are targets. */
static void test_an_exit_where_all_are_targets(void **state)
{
	follow(&init_pid_ns, true, false, false);
	on_exit_of(&parent, true);
	assert_string_equal(calls, "drc");
	on_exit_of(&parent, true);	/* before 6.16 two threads may seem to be the last one */
	assert_int_equal(nr_commits, 2);
	assert_int_equal(nr_wakeups, 0);
}

/* Fails if sources are not called for a process that its parent may reap at any time. */
static void test_an_exit_in_a_namespace(void **state)
{
	follow(&below, true, false, false);
	on_exit_of(&parent, true);
	assert_string_equal(calls, "sdrc");
	assert_record(PPROF_REC_EXIT, &parent, sizeof(struct pprof_event));
}

/* Fails if the old name is sent, if bytes of the ring are, or if the name does not end. */
static void test_a_rename(void **state)
{
	follow(&init_pid_ns, false, true, false);
	on_rename(&parent, "new");
	assert_record(PPROF_REC_COMM, &parent, sizeof(struct pprof_comm));
	assert_memory_equal(record.comm.comm, "new\0\0\0\0\0\0\0\0\0\0\0\0", PPROF_COMM_LEN);
	on_rename(&parent, "a name that is too long");
	assert_string_equal((char *)record.comm.comm, "a name that is ");
}

/* Fails if the leader of a reaped thread is used. */
static void test_a_rename_of_a_dead_thread(void **state)
{
	follow(&init_pid_ns, false, true, false);
	parent.process = NULL;
	on_rename(&parent, "new");
	assert_string_equal(calls, "");
}

/* Fails if a session without tables uses them. */
static void test_a_session_without_tables(void **state)
{
	sink.session_tables = NULL;
	follow(&init_pid_ns, false, true, false);
	on_newtask(&child, 0);
	on_exec();
	on_exit_of(&parent, true);
	assert_string_equal(calls, "rcrcsrc");
}

/* Fails if a failed init leaves a probe or the queue behind, or if fini then frees it again. */
static void test_init_fails(void **state)
{
	for (int i = 1; i <= 4; i++) {
		nr_adds = 0;
		failing_add = i;
		assert_int_equal(pprof_process_events_init(&process_events, &sink, true), -ENOMEM);
		assert_int_equal(nr_adds, i);
		assert_int_equal(strlen(calls), i);
		assert_int_equal(calls[i - 1], 'm');
		memset(calls, 0, sizeof(calls));
		end(state);
	}
	mmap_error = -ENOENT;
	assert_int_equal(pprof_process_events_init(&process_events, &sink, true), -ENOENT);
	assert_int_equal(nr_adds, 4);
}

/* Fails if the queue is freed while a probe can still run, or if a flush does not reach it. */
static void test_fini(void **state)
{
	follow(&init_pid_ns, false, true, false);
	pprof_process_events_flush(&process_events);
	pprof_process_events_fini(&process_events);
	assert_string_equal(calls, "Fppppm");
	pprof_process_events_fini(&process_events);
	assert_string_equal(calls, "Fppppm");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_fork),
		TEST(test_a_fork_without_children),
		TEST(test_a_thread),
		TEST(test_other_processes),
		TEST(test_a_fork_in_a_cgroup),
		TEST(test_a_fork_into_a_cgroup),
		TEST(test_a_process_leaves),
		TEST(test_an_end_in_a_cgroup),
		TEST(test_a_fork_of_an_unchecked_target),
		TEST(test_events_of_an_unchecked_target),
		TEST(test_a_lost_record),
		TEST(test_a_fork_in_a_namespace),
		TEST(test_an_exec),
		TEST(test_an_exec_of_a_secure_program),
		TEST(test_an_exec_of_an_unreadable_program),
		TEST(test_an_exec_in_a_trusted_session),
		TEST(test_an_exit),
		TEST(test_two_last_threads),
		TEST(test_the_end_of_a_thread),
		TEST(test_thread_ends_are_asked_for),
		TEST(test_an_exit_where_all_are_targets),
		TEST(test_an_exit_in_a_namespace),
		TEST(test_a_rename),
		TEST(test_a_rename_of_a_dead_thread),
		TEST(test_a_session_without_tables),
		TEST(test_init_fails),
		TEST(test_fini),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
