// SPDX-License-Identifier: GPL-2.0
/*
 * The snapshot of all threads. No thread is stopped for it:
 *
 * - A running thread: an interrupt of its CPU walks it there, if it is still current.
 * - A thread off its CPU has its user registers at the top of its kernel stack. A walk needs
 *   nothing else but its memory. A kernel thread may use the mm of any process, so the worker reads
 *   user memory as any hook does. The sample is valid if the thread has not run meanwhile, by its
 *   counts of switches. Else the worker tries again. A lock is rejected: the thread's scheduler
 *   would wait for it.
 */
#include "source/thread_snapshot.h"

#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/sched/prio.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "base/perfmon.h"
#include "base/access.h"
#include "base/user_regs.h"
#include "base/compat.h"

#define MAX_JIFFIES	(HZ / 10)	/* of one call, so that its caller can be killed */
#define MAX_TRIES	1000	/* for a thread that switches all the time: some ms */
#define MAX_UNPRIVILEGED_TRIES	100	/* without CAP_PERFMON: each try may be an interrupt */
#define MAX_COUNTS	8	/* the threads are counted again if more come meanwhile */

enum outcome {
	DONE,	/* sampled, or there is nothing to sample */
	RUNS,	/* the thread is on a CPU, or comes to one */
	MOVED,	/* the thread ran meanwhile */
	FULL,	/* the ring is full */
};

/* The worker keeps using an mm from thread to thread: most have the same one. */
struct visit {
	struct work_struct work;
	struct pprof_sink *sink;
	const struct pprof_snapshot_options *options;
	struct mm_struct *mm;	/* NULL: none yet */
	int max_tries;
	const u32 *tids;	/* numbers in sink->target->ns */
	u32 nr;
	u32 done;
};

/* Is @task a thread of a target that has not ended, and no worker of the kernel? */
static bool is_target_thread(const struct pprof_sink *sink, struct task_struct *task)
{
	return pprof_target_has(sink->target, task) && pid_alive(task) &&
	       pprof_record_is_followed(sink, task) &&
	       !(READ_ONCE(task->flags) & (PF_EXITING | PF_IO_WORKER | PF_USER_WORKER));
}

static u64 nr_switches(const struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

/*
 * The time since the thread came to its CPU, without its running time there, in the clock of the
 * scheduler. Only the fair class knows the running time. Threads of other classes use little.
 */
static u64 ns_off_cpu(const struct task_struct *task)
{
	u64 came = task_last_arrival(task), now = local_clock(), used = 0;

	if (task->prio >= MAX_RT_PRIO)
		used = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
	return came && now > came + used ? now - came - used : 0;
}

/* The state of a thread that is on no CPU. */
static u64 state_of(const struct task_struct *task, struct pt_regs *user)
{
	unsigned int state = pprof_task_state(task);

	if (!state || (state & TASK_NEW))
		return PPROF_THREAD_RUNNABLE;
	if (state & (__TASK_STOPPED | __TASK_TRACED))
		return PPROF_THREAD_STOPPED;
	return pprof_syscall_of_regs(user);
}

static void drop_mm(struct visit *visit)
{
	if (!visit->mm)
		return;
	kthread_unuse_mm(visit->mm);
	mmdrop(visit->mm);
	visit->mm = NULL;
}

static u64 weigh(const struct visit *visit, struct task_struct *task)
{
	return visit->options->weigh ? visit->options->weigh(visit->options->ctx, task) : 1;
}

static bool claim(const struct visit *visit, struct task_struct *task)
{
	return !visit->options->claim || visit->options->claim(visit->options->ctx, task);
}

/*
 * Not in execve(): the new memory comes before the right to see it is known. An execve() that
 * failed too late ends the process with the new memory. The process's own tracer would not see it
 * either: ptrace asks the same.
 */
static bool may_read(const struct visit *visit, const struct task_struct *task)
{
	/* If the thread runs meanwhile, look() drops the result. */
	return data_race(!task->in_execve) && pprof_record_may_read(visit->sink, task, visit->mm);
}

/* Did the thread run since its @switches were counted? */
static bool has_moved(const struct task_struct *task, u64 switches)
{
	smp_rmb();	/* it is on a CPU before it changes anything */
	if (READ_ONCE(task->on_cpu))
		return true;
	smp_rmb();	/* its switch is counted before it is on no CPU */
	return nr_switches(task) != switches;
}

/*
 * A thread that has died has no registers any more. Its count of switches then shows that it ran.
 *
 * The registers may be those of a new program, after an exec. So has_moved() is asked before they
 * are put where the reader can see them.
 */
static bool fill(struct visit *visit, struct pprof_sample *sample, struct task_struct *task,
		 u64 weight, u64 switches)
{
	struct pprof_sample_info info = {
		.source = visit->options->source,
		.weight = weight,
		.time_ns = ktime_get_mono_fast_ns(),
	};
	struct pprof_regs regs;
	struct pt_regs user;
	bool readable;

	if (copy_from_kernel_nofault(&user, task_pt_regs(task), sizeof(user)) ||
	    has_moved(task, switches))
		return false;
	info.arg = state_of(task, &user);
	if (info.source == PPROF_SOURCE_THREAD)
		info.value = ns_off_cpu(task);
	readable = pprof_user_regs_copy(&regs, &user) && may_read(visit, task);
	pprof_record_fill_task(visit->sink, sample, task, readable ? &regs : NULL, &info);
	return true;
}

/*
 * Only @task itself changes the fields that are read here: its mm, its flags, its being a target.
 * So if it does not run until the end, all of them were true at one moment.
 * Context: interrupts off, in an RCU read section.
 */
static enum outcome look(struct visit *visit, struct task_struct *task)
{
	u64 switches = nr_switches(task), weight;
	struct pprof_sample *sample;

	if (smp_load_acquire(&task->on_cpu))	/* pairs with the switch by which it left */
		return RUNS;
	if (!is_target_thread(visit->sink, task))
		return DONE;
	if (READ_ONCE(task->mm) != visit->mm)
		return MOVED;
	weight = weigh(visit, task);
	if (weight == PPROF_SNAPSHOT_COMES)
		return RUNS;
	if (!weight)
		return DONE;
	sample = pprof_record_reserve(visit->sink);
	if (!sample)
		return FULL;
	if (!fill(visit, sample, task, weight, switches) || has_moved(task, switches) ||
	    !claim(visit, task))
		return MOVED;
	pprof_record_emit(visit->sink, sample);
	return DONE;
}

/*
 * Makes the worker use the mm of @task. look() checks that @task still has it. While @task has the
 * mm, it is in use, and nothing is unmapped. If @task ends meanwhile, the sample is dropped. If a
 * process unmaps a page, no other user gets the page before this CPU knows.
 */
static bool use_mm_of(struct visit *visit, struct task_struct *task)
{
	struct mm_struct *mm;

	if (visit->mm && READ_ONCE(task->mm) == visit->mm)
		return true;
	mm = pprof_access_grab(task);
	if (!mm)
		return false;
	drop_mm(visit);
	visit->mm = mm;
	kthread_use_mm(mm);
	return true;
}

static enum outcome look_at_waiting(struct visit *visit, struct task_struct *task)
{
	enum outcome outcome;
	unsigned long flags;

	if (!use_mm_of(visit, task))
		return DONE;	/* it exits */
	local_irq_save(flags);
	rcu_read_lock();
	outcome = look(visit, task);
	rcu_read_unlock();
	local_irq_restore(flags);
	return outcome;
}

struct question {
	const struct visit *visit;
	const struct task_struct *task;
	enum outcome outcome;
};

/* Context: an interrupt of the CPU on which the thread was seen. */
static void look_at_current(void *data)
{
	struct pprof_sample_info info = {
		.arg = PPROF_THREAD_RUNNING, .time_ns = ktime_get_mono_fast_ns(),
	};
	struct question *question = data;
	struct pprof_sink *sink = question->visit->sink;

	if (current != question->task)
		return;
	question->outcome = DONE;
	if (!is_target_thread(sink, current))
		return;
	info.source = question->visit->options->source;
	info.weight = weigh(question->visit, current);
	if (!info.weight)
		return;
	if (pprof_record_reserve(sink))
		pprof_record_sample(sink, &info);
	else
		question->outcome = FULL;
}

/*
 * A CPU that went offline runs nothing, and the thread is elsewhere. A CPU that is switching to the
 * thread has interrupts off, and answers after the switch.
 */
static enum outcome look_at_running(struct visit *visit, struct task_struct *task)
{
	struct question question = { .visit = visit, .task = task, .outcome = MOVED };

	smp_call_function_single(task_cpu(task), look_at_current, &question, 1);
	return question.outcome;
}

static enum outcome look_once(struct visit *visit, struct task_struct *task)
{
	enum outcome outcome = READ_ONCE(task->on_cpu) ? RUNS : look_at_waiting(visit, task);

	return outcome == RUNS ? look_at_running(visit, task) : outcome;
}

static void lose(const struct visit *visit)
{
	unsigned long flags;

	local_irq_save(flags);
	pprof_record_lost(visit->sink, visit->options->source, 1, PPROF_LOST_QUEUE);
	local_irq_restore(flags);
}

/* Returns: false if the ring has no room for its sample. */
static bool visit_task(struct visit *visit, struct task_struct *task)
{
	enum outcome outcome;

	for (int i = 0; i < visit->max_tries; i++) {
		outcome = look_once(visit, task);
		if (outcome != MOVED)
			return outcome == DONE;
		cond_resched();
	}
	if (!visit->options->claim)
		lose(visit);
	return true;
}

static struct task_struct *get_thread(const struct pprof_sink *sink, pid_t tid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(tid, sink->target->ns), PIDTYPE_PID);
	if (task && !is_target_thread(sink, task))
		task = NULL;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/* If the thread has ended, or its number is that of another process, there is nothing to sample. */
static bool visit_tid(struct visit *visit, pid_t tid)
{
	struct task_struct *task = get_thread(visit->sink, tid);
	bool fits;

	if (!task)
		return true;
	fits = visit_task(visit, task);
	if (fits && visit->options->done)
		visit->options->done(visit->options->ctx, task);
	put_task_struct(task);
	return fits;
}

static void visit_all(struct work_struct *work)
{
	struct visit *visit = container_of(work, struct visit, work);
	unsigned long end = jiffies + MAX_JIFFIES;

	while (visit->done < visit->nr && visit_tid(visit, visit->tids[visit->done])) {
		visit->done++;
		if (time_after(jiffies, end))
			break;
		cond_resched();
	}
	drop_mm(visit);
}

/* The list of threads */

struct list {
	u32 *tids;
	u32 nr;
	u32 room;
};

/* Lists the tids from @first on. It also counts those that do not fit. */
static void list_threads(struct list *list, const struct pprof_sink *sink, u32 first)
{
	struct task_struct *process, *task;
	u32 tid;

	list->nr = 0;
	rcu_read_lock();
	for_each_process(process) {
		if (!pprof_target_has(sink->target, process))
			continue;
		for_each_thread(process, task) {
			tid = task_pid_nr_ns(task, sink->target->ns);
			if (!tid || tid < first)
				continue;
			if (list->nr < list->room)
				list->tids[list->nr] = tid;
			list->nr++;
		}
	}
	rcu_read_unlock();
}

/* A million tids take long to sort, and sort() has no cond_resched(). */
static int compare_tids(const void *left, const void *right)
{
	u32 a = *(const u32 *)left, b = *(const u32 *)right;

	cond_resched();
	return a < b ? -1 : a > b;
}

/*
 * The list has the order of tids. So no thread is sampled twice if threads come and go meanwhile.
 */
static int make_list(struct list *list, const struct pprof_sink *sink, u32 first)
{
	list_threads(list, sink, first);
	for (int i = 0; i < MAX_COUNTS; i++) {
		list->room = list->nr + list->nr / 4 + 16;
		list->tids = kvmalloc_array(list->room, sizeof(*list->tids),
					    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!list->tids)
			return -ENOMEM;
		list_threads(list, sink, first);
		if (list->nr <= list->room) {
			sort(list->tids, list->nr, sizeof(*list->tids), compare_tids, NULL);
			return 0;
		}
		kvfree(list->tids);
	}
	return -EAGAIN;
}

int pprof_snapshot_sample(struct pprof_sink *sink, const struct pprof_snapshot_options *options,
			  u32 *next)
{
	struct list list = { 0 };
	struct visit visit = {
		.sink = sink, .options = options,
		.max_tries = pprof_perfmon_noaudit() ? MAX_TRIES : MAX_UNPRIVILEGED_TRIES,
	};
	int err = make_list(&list, sink, *next);

	if (err)
		return err;
	visit.tids = list.tids;
	visit.nr = list.nr;
	INIT_WORK_ONSTACK(&visit.work, visit_all);
	queue_work(system_dfl_wq, &visit.work);
	flush_work(&visit.work);
	destroy_work_on_stack(&visit.work);
	*next = visit.done < visit.nr ? list.tids[visit.done] : 0;
	kvfree(list.tids);
	return 0;
}
