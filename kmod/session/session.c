// SPDX-License-Identifier: GPL-2.0
#include "session/session.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/user_namespace.h>

#include "base/access.h"
#include "base/compat.h"
#include "heap/probe_list.h"
#include "base/cooldown.h"
#include "record/session_rings.h"
#include "source/source.h"
#include "source/thread_snapshot.h"

/* Of one CPU, without CAP_PERFMON: this memory cannot be swapped. */
#define MAX_USER_RING_BYTES	(512 * 1024)

static const struct pprof_source *const sources[PPROF_NR_SOURCES] = {
	[PPROF_SOURCE_CPU]		= &pprof_src_cpu,
	[PPROF_SOURCE_THREADCREATE]	= &pprof_src_thread,
	[PPROF_SOURCE_WALL]		= &pprof_src_wall,
	[PPROF_SOURCE_BLOCK]		= &pprof_src_block,
	[PPROF_SOURCE_MUTEX]		= &pprof_src_mutex,
	[PPROF_SOURCE_HEAP]		= &pprof_src_heap,
	[PPROF_SOURCE_GROWTH]		= &pprof_src_growth,
};

u64 pprof_session_sources(void)
{
	u64 bits = 0;

	for (int source = 0; source < PPROF_NR_SOURCES; source++)
		if (sources[source])
			bits |= BIT_ULL(source);
	return bits;
}

int pprof_session_new(struct pprof_session **session_out)
{
	struct pprof_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return -ENOMEM;
	session->owner_pid = current->tgid;
	session->owner_uid = from_kuid(&init_user_ns, current_uid());
	get_task_comm(session->owner_comm, current);
	session->ns = get_pid_ns(task_active_pid_ns(current));
	session->stopped = jiffies;
	mutex_init(&session->reads);
	mutex_init(&session->visits);
	mutex_init(&session->lock);
	pprof_wakeup_init(&session->sink.wakeup);
	*session_out = session;
	return 0;
}

static void stop_source(struct pprof_session *session, u32 source)
{
	sources[source]->stop(session->states[source]);
	clear_bit(source, &session->running);	/* netlink reads it without the lock */
}

/*
 * In this order: the producers (sources, then process events), the wake-up, the memory to which
 * they write (rings, target), the memory that they read (ranges, probes). A new session may take
 * the place of this one as soon as it has ended. So the cooldown comes first, and also delays a
 * user that opens another one.
 */
void pprof_session_end(struct pprof_session *session)
{
	u32 source;

	pprof_cooldown(session->rested_ns);
	for_each_set_bit(source, &session->running, PPROF_NR_SOURCES)
		stop_source(session, source);
	pprof_process_events_fini(&session->process_events);
	pprof_wakeup_fini(&session->sink.wakeup);
	pprof_session_rings_fini(&session->sink);
	pprof_session_tables_fini(&session->session_tables);
	pprof_probe_list_free(session->probes);
	pprof_target_fini(&session->target);
	put_user_ns(session->sink.traced);
}

/* An RCU grace period later: see pprof_wakeup_fini(). */
void pprof_session_free(struct pprof_session *session)
{
	put_pid_ns(session->ns);
	kfree_rcu(session, rcu);
}

/* A flag that needs hooks is not valid in a session without hooks. */
static bool flags_are_valid(u32 flags)
{
	const u32 hooked = PPROF_SETUP_ALL | PPROF_SETUP_CHILDREN | PPROF_SETUP_THREAD_ENDS;

	if (flags & PPROF_SETUP_SNAPSHOT)
		return !(flags & ~(PPROF_SETUP_SNAPSHOT | PPROF_SETUP_TABLES));
	return !(flags & ~(hooked | PPROF_SETUP_TABLES));
}

static int check_setup(const struct pprof_setup *setup)
{
	if (!flags_are_valid(setup->flags) || setup->pad)
		return -EINVAL;
	if (!is_power_of_2(setup->ring_bytes) || setup->ring_bytes < PPROF_MIN_RING_BYTES ||
	    setup->ring_bytes > PPROF_MAX_RING_BYTES)
		return -EINVAL;
	if (setup->watermark_bytes > setup->ring_bytes || setup->max_frames > PPROF_MAX_FRAMES)
		return -EINVAL;
	if (((setup->flags & PPROF_SETUP_ALL) || setup->ring_bytes > MAX_USER_RING_BYTES) &&
	    !perfmon_capable())
		return -EPERM;
	return 0;
}

static int setup_locked(struct pprof_session *session, const struct pprof_setup *setup)
{
	struct pprof_sink *sink = &session->sink;
	int err;

	if (session->set_up)
		return -EBUSY;
	err = pprof_target_init(&session->target, session->ns, setup->flags & PPROF_SETUP_ALL,
				setup->flags & PPROF_SETUP_CHILDREN);
	if (err)
		return err;
	err = pprof_session_rings_init(sink, setup->ring_bytes, setup->watermark_bytes);
	if (err)
		goto target;
	if (setup->flags & PPROF_SETUP_TABLES) {
		err = pprof_session_tables_init(&session->session_tables);
		if (err)
			goto rings;
		sink->session_tables = &session->session_tables;
	}
	sink->target = &session->target;
	sink->trusted = true;
	sink->switches.target = &session->target;
	sink->max_frames = setup->max_frames ? setup->max_frames : PPROF_DEFAULT_FRAMES;
	if (!(setup->flags & PPROF_SETUP_SNAPSHOT))
		err = pprof_process_events_init(&session->process_events, sink,
						setup->flags & PPROF_SETUP_THREAD_ENDS);
	if (err)
		goto session_tables;
	session->flags = setup->flags;
	session->ring_bytes = setup->ring_bytes;
	smp_store_release(&session->set_up, true);	/* pairs with mmap, poll and netlink */
	return 0;
session_tables:
	sink->session_tables = NULL;
	pprof_session_tables_fini(&session->session_tables);
rings:
	pprof_session_rings_fini(sink);
target:
	pprof_target_fini(&session->target);
	session->target.bits = NULL;
	return err;
}

int pprof_session_setup(struct pprof_session *session, const struct pprof_setup *setup)
{
	int err = check_setup(setup);

	if (err)
		return err;
	mutex_lock(&session->lock);
	err = setup_locked(session, setup);
	mutex_unlock(&session->lock);
	return err;
}

struct pid *pprof_session_find_process(struct pprof_session *session, pid_t pid)
{
	struct task_struct *task;
	struct pid *process = NULL;

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, session->ns), PIDTYPE_PID);
	if (task)
		process = get_pid(task_tgid(task));
	rcu_read_unlock();
	return process;
}

/*
 * Locks: none are held, but session->reads if a custom profile is read. To open a file below the
 * caller's /proc may take for ever.
 */
static int check_process(struct pprof_session *session, struct pprof_attach *attach,
			 struct pid *process, struct user_namespace **traced)
{
	enum pprof_access what = READ_ONCE(session->flags) & PPROF_SETUP_TABLES ?
				 PPROF_ACCESS_MEMORY : PPROF_ACCESS_STACKS;
	int err;

	attach->exec_id = pprof_process_exec_id(process);
	if (!attach->exec_id)	/* it is ending: its exit may have passed the hooks already */
		return -ESRCH;
	attach->pid = pid_nr_ns(process, session->ns);
	err = pprof_access_check(process, what, traced);
	if (err)
		return err;
	if (attach->exec_id == pprof_process_exec_id(process))
		return 0;
	put_user_ns(*traced);
	return -EAGAIN;
}

int pprof_session_look(struct pprof_session *session, struct pprof_attach *attach,
		       struct pid **process)
{
	struct user_namespace *traced;
	int err;

	*process = pprof_session_find_process(session, attach->pid);
	if (!*process)
		return -ESRCH;
	err = check_process(session, attach, *process, &traced);
	if (err)
		put_pid(*process);
	else
		put_user_ns(traced);
	return err;
}

int pprof_session_exec_id(struct pprof_session *session, struct pprof_attach *attach)
{
	struct pid *process;
	int err = pprof_session_look(session, attach, &process);

	if (!err)
		put_pid(process);
	return err;
}

static bool is_snapshot(const struct pprof_session *session)
{
	return session->flags & PPROF_SETUP_SNAPSHOT;
}

/* Removes the target. When it returns, no hook that saw it as a target is running. */
static void reject(struct pprof_target *target, pid_t tgid)
{
	pprof_target_remove(target, tgid);
	tracepoint_synchronize_unregister();
}

/*
 * A poller may have checked before the first target was attached, or while one was on trial. All
 * targets may have ended since: wake it again.
 */
static void wake_if_empty(struct pprof_session *session)
{
	/* Pairs with note_last(): each of the two writes, then reads the other's write */
	smp_mb();
	if (pprof_target_is_empty(&session->target))
		pprof_wakeup(&session->sink.wakeup);
}

/* The session's rights are those that each caller of ATTACH without CAP_PERFMON had. */
static void limit_rights(struct pprof_sink *sink, struct user_namespace *traced)
{
	if (sink->trusted)
		WRITE_ONCE(sink->traced, get_user_ns(traced));
	else if (sink->traced != traced)
		put_user_ns(xchg(&sink->traced, NULL));
	WRITE_ONCE(sink->trusted, false);
}

/*
 * The process may have ended, or called exec of a program that the caller must not see, after the
 * check and before it is a target. The hooks did not see that. No sample was taken meanwhile: no
 * source runs, and THREADS takes the mutex. It has no child that is a target either.
 */
static int add_process(struct pprof_session *session, const struct pprof_attach *attach,
		       struct pid *process, bool trusted, struct user_namespace *traced)
{
	struct pprof_target *target = &session->target;
	struct pprof_sink *sink = &session->sink;
	pid_t tgid = pid_nr(process);
	bool is_new;
	int err = 0;
	u64 exec_id;

	if (session->flags & PPROF_SETUP_ALL)
		return -EINVAL;
	if (session->running || (session->attached && is_snapshot(session)))
		return -EBUSY;
	if (is_snapshot(session))
		sink->only_exec_id = attach->exec_id;
	if (!trusted)
		limit_rights(sink, traced);
	is_new = pprof_target_try(target, tgid);
	exec_id = pprof_process_exec_id(process);
	if (is_new && exec_id != attach->exec_id)
		reject(target, tgid);
	pprof_target_end_try(target);
	if (exec_id == attach->exec_id)
		WRITE_ONCE(session->attached, true);
	else
		err = exec_id ? -EAGAIN : -ESRCH;
	wake_if_empty(session);
	return err;
}

int pprof_session_attach(struct pprof_session *session, struct pprof_attach *attach)
{
	bool trusted = perfmon_capable();
	struct user_namespace *traced;
	struct pid *process;
	int err;

	if (!smp_load_acquire(&session->set_up))	/* the flags do not change any more */
		return -EINVAL;
	process = pprof_session_find_process(session, attach->pid);
	if (!process)
		return -ESRCH;
	err = check_process(session, attach, process, &traced);
	if (!err) {
		mutex_lock(&session->lock);
		err = add_process(session, attach, process, trusted, traced);
		mutex_unlock(&session->lock);
		put_user_ns(traced);
	}
	put_pid(process);
	return err;
}

/* On success *probes are the old ones, for the caller to free. */
static int set_probes(struct pprof_session *session, struct pprof_probe_list **probes)
{
	if (!session->set_up)
		return -EINVAL;
	if (test_bit(PPROF_SOURCE_HEAP, &session->running))
		return -EBUSY;
	swap(session->probes, *probes);
	session->sink.probes = session->probes;
	return 0;
}

int pprof_session_heap(struct pprof_session *session, const struct pprof_heap *heap)
{
	struct pprof_probe_list *probes;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	if (!pprof_has_uprobes())
		return -EOPNOTSUPP;
	err = pprof_probe_list_new(heap, &probes);
	if (err)
		return err;
	mutex_lock(&session->lock);
	err = set_probes(session, &probes);
	mutex_unlock(&session->lock);
	pprof_probe_list_free(probes);
	return err;
}

static int start_locked(struct pprof_session *session, u32 source, u64 period)
{
	int err;

	if (!session->set_up || is_snapshot(session))
		return -EINVAL;
	if (!sources[source])
		return -EOPNOTSUPP;
	if (test_bit(source, &session->running))
		return -EBUSY;
	err = sources[source]->start(&session->sink, period, &session->states[source]);
	if (err)
		return err;
	set_bit(source, &session->running);
	if (source == PPROF_SOURCE_CPU)
		WRITE_ONCE(session->period_ns, period);
	else if (source == PPROF_SOURCE_WALL)
		WRITE_ONCE(session->wall_period_ns, period);
	return 0;
}

/*
 * START and STOP interrupt all CPUs. Without CAP_PERFMON that happens once a jiffy at most, for any
 * number of threads. A session that was just opened waits for it, too.
 */
static int lock_rested(struct pprof_session *session)
{
	mutex_lock(&session->lock);
	while (!perfmon_capable() && time_before_eq(jiffies, session->stopped)) {
		mutex_unlock(&session->lock);
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return -EINTR;
		mutex_lock(&session->lock);
	}
	return 0;
}

int pprof_session_start(struct pprof_session *session, const struct pprof_start *start)
{
	int err;

	if (start->source >= PPROF_NR_SOURCES)
		return -EINVAL;
	err = lock_rested(session);
	if (err)
		return err;
	err = start_locked(session, array_index_nospec(start->source, PPROF_NR_SOURCES),
			   start->period);
	mutex_unlock(&session->lock);
	return err;
}

/*
 * A kernel worker samples threads, and no process is charged for its time. So without CAP_PERFMON
 * the session then has a cooldown: as long as the work took, and a tick at least. So it gets half
 * of a CPU at most. The caller does not sleep at the end of its own call: it may be killed to avoid
 * that. Other calls that sample no threads do not wait: session->lock is free meanwhile. Time for
 * which the caller waited counts, too, up to the bound on the work.
 */
static int begin_visit(struct pprof_session *session, u64 *begin_ns)
{
	if (mutex_lock_killable(&session->visits))
		return -EINTR;
	pprof_cooldown_killable(session->rested_ns);
	if (fatal_signal_pending(current)) {
		mutex_unlock(&session->visits);
		return -EINTR;
	}
	*begin_ns = ktime_get_ns();
	return 0;
}

static void end_visit(struct pprof_session *session, u64 begin_ns)
{
	u64 now = ktime_get_ns();

	session->rested_ns = perfmon_capable() ? 0 : now + TICK_NSEC +
			     min(now - begin_ns, PPROF_MAX_COOLDOWN_NS);
	mutex_unlock(&session->visits);
}

static int stop_locked(struct pprof_session *session, u32 source)
{
	int err = 0;

	if (!test_bit(source, &session->running))
		return -EINVAL;
	if (sources[source]->finish)
		err = sources[source]->finish(session->states[source]);
	if (err)
		return err;
	stop_source(session, source);
	session->stopped = jiffies;
	pprof_process_events_flush(&session->process_events);
	return 0;
}

static int stop_one(struct pprof_session *session, u32 source)
{
	int err;

	mutex_lock(&session->lock);
	err = stop_locked(session, source);
	mutex_unlock(&session->lock);
	return err;
}

int pprof_session_stop(struct pprof_session *session, const struct pprof_stop *stop)
{
	u64 begin_ns;
	u32 source;
	int err;

	if (stop->source >= PPROF_NR_SOURCES)
		return -EINVAL;
	source = array_index_nospec(stop->source, PPROF_NR_SOURCES);
	if (!sources[source] || !sources[source]->finish)
		return stop_one(session, source);
	err = begin_visit(session, &begin_ns);
	if (err)
		return err;
	err = stop_one(session, source);
	end_visit(session, begin_ns);
	return err;
}

/* Takes session->lock, so that no process is sampled while it is on trial: see add_process(). */
int pprof_session_threads(struct pprof_session *session, struct pprof_threads *threads)
{
	static const struct pprof_snapshot_options options = { .source = PPROF_SOURCE_THREAD };
	u64 begin_ns;
	int err = begin_visit(session, &begin_ns);

	if (err)
		return err;
	err = -EINVAL;
	mutex_lock(&session->lock);
	if (session->set_up)
		err = pprof_snapshot_sample(&session->sink, &options, &threads->next);
	mutex_unlock(&session->lock);
	end_visit(session, begin_ns);
	return err;
}

/*
 * The mmap lock is held. session->lock must not be taken under it: SETUP holds that around kprobes.
 * The rings do not change once set_up is seen.
 */
int pprof_session_mmap(struct pprof_session *session, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 cpu = offset >> 32;
	struct pprof_ring_pages *mem;

	if (!smp_load_acquire(&session->set_up))	/* pairs with setup_locked() */
		return -EINVAL;
	if (cpu >= nr_cpu_ids)
		return -ENXIO;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	mem = &session->sink.rings[cpu];
	if (!mem->pages)
		return -ENXIO;
	if (offset == PPROF_MMAP_TAIL(cpu))
		return pprof_ring_pages_mmap_tail(mem, vma);
	if (offset == PPROF_MMAP_DATA(cpu))
		return pprof_ring_pages_mmap_data(mem, vma);
	return -EINVAL;
}

__poll_t pprof_session_poll(struct pprof_session *session, struct file *file, poll_table *table)
{
	__poll_t events = 0;

	poll_wait(file, &session->sink.wakeup.readers, table);
	if (!smp_load_acquire(&session->set_up))	/* pairs with setup_locked() */
		return 0;
	if (pprof_session_rings_any_is_due(&session->sink))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(session->attached) && pprof_target_is_empty(&session->target))
		events |= EPOLLHUP;
	return events;
}
