// SPDX-License-Identifier: GPL-2.0
#include "session/session.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "arch/kernel_unwind.h"
#include "base/access.h"
#include "base/cgroup.h"
#include "base/compat.h"
#include "base/user_quota.h"
#include "heap/probe_list.h"
#include "record/session_rings.h"
#include "session/kept_hooks.h"
#include "source/source.h"
#include "source/thread_snapshot.h"

/* Limit of a ring without CAP_PERFMON: this memory cannot be swapped. */
#define MAX_USER_RING_BYTES	(512 * 1024)

static const struct pprof_source *const sources[PPROF_NR_SOURCES] = {
	[PPROF_SOURCE_CPU]		= &pprof_src_cpu,
	[PPROF_SOURCE_THREADCREATE]	= &pprof_src_threadcreate,
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
	session->quota = pprof_quota_get();
	if (!session->quota) {
		kfree(session);
		return -ENOMEM;
	}
	session->owner_pid = current->tgid;
	session->owner_uid = from_kuid(&init_user_ns, current_uid());
	get_task_comm(session->owner_comm, current);
	session->ns = get_pid_ns(task_active_pid_ns(current));
	mutex_init(&session->reads);
	pprof_visits_init(&session->visits);
	mutex_init(&session->lock);
	pprof_wakeup_init(&session->sink.wakeup);
	*session_out = session;
	return 0;
}

/* Call this before hooks are removed: a user's next calls do not change the kernel's code then. */
static void keep_hooks(const struct pprof_session *session)
{
	if (!pprof_quota_is_privileged(session->quota))
		pprof_kept_hooks_keep();
}

static void stop_source(struct pprof_session *session, u32 source)
{
	sources[source]->stop(session->states[source]);
	clear_bit(source, &session->running);	/* netlink reads it without the lock */
}

/*
 * The parts end in this order: the producers (sources, moves of processes, process events), the
 * wake-up, the rings, the memory that producers read (tables, probes, target).
 *
 * A user may open a new session as soon as this one has ended. So the cooldown comes first, and
 * also delays that new session.
 */
void pprof_session_end(struct pprof_session *session)
{
	u32 source;

	pprof_visits_fini(&session->visits);
	if (session->process_events.sink)
		keep_hooks(session);
	for_each_set_bit(source, &session->running, PPROF_NR_SOURCES)
		stop_source(session, source);
	pprof_cgroup_moves_fini(&session->cgroup_moves);
	pprof_process_events_fini(&session->process_events);
	pprof_wakeup_fini(&session->sink.wakeup);
	pprof_session_rings_fini(&session->sink);
	pprof_locked_memory_uncharge(&session->locked_memory, session->quota);
	pprof_session_tables_fini(&session->session_tables);
	pprof_probe_list_free(session->probes);
	pprof_target_fini(&session->target);
	put_user_ns(session->sink.traced);
	put_pid(session->sink.only_process);
}

/* The memory is freed an RCU grace period later: see pprof_wakeup_fini(). */
void pprof_session_free(struct pprof_session *session)
{
	put_pid_ns(session->ns);
	pprof_quota_put(session->quota);
	kfree_rcu(session, rcu);
}

/* A flag that needs hooks is not valid in a session without hooks. */
static bool flags_are_valid(u32 flags)
{
	const u32 whose = PPROF_SETUP_ALL | PPROF_SETUP_CHILDREN | PPROF_SETUP_CGROUP;
	const u32 hooked = whose | PPROF_SETUP_THREAD_ENDS;

	if ((flags & PPROF_SETUP_CGROUP) && (flags & whose) != PPROF_SETUP_CGROUP)
		return false;
	if (flags & PPROF_SETUP_SNAPSHOT)
		return !(flags & ~(PPROF_SETUP_SNAPSHOT | PPROF_SETUP_TABLES));
	if ((flags & (PPROF_SETUP_CONTEXT | PPROF_SETUP_SHARED)) && !(flags & PPROF_SETUP_TABLES))
		return false;
	return !(flags & ~(hooked | PPROF_SETUP_TABLES | PPROF_SETUP_KERNEL |
			   PPROF_SETUP_CONTEXT | PPROF_SETUP_SHARED));
}

static int check_setup(const struct pprof_setup *setup)
{
	const u32 foreign = PPROF_SETUP_ALL | PPROF_SETUP_CGROUP;	/* of any user */

	if (!flags_are_valid(setup->flags) ||
	    (setup->cgroup && !(setup->flags & PPROF_SETUP_CGROUP)))
		return -EINVAL;
	if (!is_power_of_2(setup->ring_bytes) || setup->ring_bytes < PPROF_MIN_RING_BYTES ||
	    setup->ring_bytes > PPROF_MAX_RING_BYTES)
		return -EINVAL;
	if (setup->watermark_bytes > setup->ring_bytes || setup->max_frames > PPROF_MAX_FRAMES)
		return -EINVAL;
	if (((setup->flags & (foreign | PPROF_SETUP_KERNEL)) ||
	     setup->ring_bytes > MAX_USER_RING_BYTES) && !perfmon_capable())
		return -EPERM;
	if ((setup->flags & foreign) && (setup->flags & PPROF_SETUP_TABLES) &&
	    !pprof_access_is_trusted(PPROF_ACCESS_MEMORY))
		return -EPERM;
	if ((setup->flags & PPROF_SETUP_KERNEL) && !pprof_arch_knows_kernel_frames())
		return -EOPNOTSUPP;
	return 0;
}

static int init_target(struct pprof_session *session, const struct pprof_setup *setup)
{
	int err = pprof_target_init(&session->target, session->ns, setup->flags & PPROF_SETUP_ALL,
				    setup->flags & PPROF_SETUP_CHILDREN);

	if (!err && (setup->flags & PPROF_SETUP_CGROUP))
		err = pprof_target_set_cgroup(&session->target, setup->cgroup);
	if (err)
		pprof_target_fini(&session->target);
	return err;
}

/* The end of a process must be seen before the processes of a cgroup become targets. */
static int follow_processes(struct pprof_session *session, u32 flags)
{
	int err;

	if (flags & PPROF_SETUP_SNAPSHOT)
		return 0;
	err = pprof_process_events_init(&session->process_events, &session->sink,
					flags & PPROF_SETUP_THREAD_ENDS);
	if (err || !(flags & PPROF_SETUP_CGROUP))
		return err;
	err = pprof_cgroup_moves_init(&session->cgroup_moves, &session->sink);
	if (err)
		pprof_process_events_fini(&session->process_events);
	return err;
}

static int setup_locked(struct pprof_session *session, const struct pprof_setup *setup)
{
	struct pprof_sink *sink = &session->sink;
	int err;

	if (session->set_up)
		return -EBUSY;
	err = init_target(session, setup);
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
	sink->sees_calls = true;
	sink->switches.target = &session->target;
	sink->max_frames = setup->max_frames ? setup->max_frames : PPROF_DEFAULT_FRAMES;
	sink->max_kernel = !(setup->flags & PPROF_SETUP_KERNEL) ? 0 :
			   min_t(u32, sink->max_frames, PPROF_MAX_KERNEL_FRAMES);
	sink->shares_frames = setup->flags & PPROF_SETUP_SHARED;
	sink->context_room = setup->flags & PPROF_SETUP_CONTEXT ? PPROF_THREAD_CONTEXT_ROOM : 0;
	err = follow_processes(session, setup->flags);
	if (err)
		goto session_tables;
	session->flags = setup->flags;
	session->ring_bytes = setup->ring_bytes;
	session->attached = setup->flags & PPROF_SETUP_CGROUP;
	smp_store_release(&session->set_up, true);	/* pairs with mmap, poll and netlink */
	return 0;
session_tables:
	sink->session_tables = NULL;
	pprof_session_tables_fini(&session->session_tables);
rings:
	pprof_session_rings_fini(sink);
target:
	pprof_target_fini(&session->target);
	return err;
}

/* The mmap lock is not taken under session->lock: it may be held for long. */
static int setup_charged(struct pprof_session *session, const struct pprof_setup *setup)
{
	u64 bytes = (u64)num_possible_cpus() * (setup->ring_bytes + PPROF_RING_EXTRA_BYTES);
	struct pprof_locked_memory charged = { 0 };
	int err = pprof_locked_memory_charge(&charged, session->quota, bytes);

	if (err)
		return err;
	mutex_lock(&session->lock);
	err = setup_locked(session, setup);
	if (!err)
		session->locked_memory = charged;
	mutex_unlock(&session->lock);
	if (err)
		pprof_locked_memory_uncharge(&charged, session->quota);
	return err;
}

int pprof_session_setup(struct pprof_session *session, const struct pprof_setup *setup)
{
	int err = check_setup(setup);

	if (!err && READ_ONCE(session->set_up))
		err = -EBUSY;
	if (!err)
		err = pprof_quota_take_turn(session->quota);
	return err ? err : setup_charged(session, setup);
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

static int check_start(struct pprof_session *session, u32 source)
{
	/* Pairs with setup_locked(). */
	if (!smp_load_acquire(&session->set_up) || pprof_session_is_snapshot(session))
		return -EINVAL;
	if (!sources[source] ||
	    ((session->flags & PPROF_SETUP_CGROUP) && !sources[source]->follows_moves))
		return -EOPNOTSUPP;
	return test_bit(source, &session->running) ? -EBUSY : 0;
}

static int start_locked(struct pprof_session *session, u32 source, u64 period)
{
	int err = check_start(session, source);

	if (err)
		return err;
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

/* A call that is refused takes no turn. So its checks come first, and again under the mutex. */
int pprof_session_start(struct pprof_session *session, const struct pprof_start *start)
{
	u32 source;
	int err;

	if (start->source >= PPROF_NR_SOURCES)
		return -EINVAL;
	source = array_index_nospec(start->source, PPROF_NR_SOURCES);
	err = check_start(session, source);
	if (!err)
		err = pprof_quota_take_turn(session->quota);
	if (err)
		return err;
	mutex_lock(&session->lock);
	err = start_locked(session, source, start->period);
	mutex_unlock(&session->lock);
	return err;
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
	keep_hooks(session);
	stop_source(session, source);
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
	err = pprof_visits_begin(&session->visits, &begin_ns);
	if (err)
		return err;
	err = stop_one(session, source);
	pprof_visits_end(&session->visits, begin_ns);
	return err;
}

/* Takes session->lock, so that no process is sampled before it is checked: see attach.c. */
int pprof_session_threads(struct pprof_session *session, struct pprof_threads *threads)
{
	static const struct pprof_snapshot_options options = { .source = PPROF_SOURCE_THREAD };
	u64 begin_ns;
	int err = pprof_visits_begin(&session->visits, &begin_ns);

	if (err)
		return err;
	err = -EINVAL;
	mutex_lock(&session->lock);
	if (session->set_up)
		err = pprof_snapshot_sample(&session->sink, &options, &threads->next);
	mutex_unlock(&session->lock);
	pprof_visits_end(&session->visits, begin_ns);
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

/* A cgroup gets new processes until it is removed. */
static bool is_over(const struct pprof_session *session)
{
	const struct cgroup *cgroup = session->target.cgroup;

	return READ_ONCE(session->attached) && pprof_target_is_empty(&session->target) &&
	       (!cgroup || pprof_cgroup_is_gone(cgroup));
}

__poll_t pprof_session_poll(struct pprof_session *session, struct file *file, poll_table *table)
{
	__poll_t events = 0;

	poll_wait(file, &session->sink.wakeup.readers, table);
	if (!smp_load_acquire(&session->set_up))	/* pairs with setup_locked() */
		return 0;
	if (pprof_session_rings_any_is_due(&session->sink))
		events |= EPOLLIN | EPOLLRDNORM;
	if (is_over(session))
		events |= EPOLLHUP;
	return events;
}
