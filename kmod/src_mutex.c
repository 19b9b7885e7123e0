// SPDX-License-Identifier: GPL-2.0
/*
 * Source mutex: who held the locks that others waited for. The unlocker's stack
 * is charged with what all waiters waited while it held the lock: 5 waiters of
 * 1 s are 5 s.
 *
 * A lock of user space is a futex, told by process and address. For each that
 * is waited for, the time integral of the number of waiters is kept; an unlock
 * takes it and sets it to 0. So a waiter that has to wait for the next holder
 * as well charges each of them with its share.
 */
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>
#include <uapi/linux/futex.h>

#include "arch.h"
#include "hooks.h"
#include "random.h"
#include "source.h"
#include "waits.h"

#define BUCKET_BITS	10
#define NR_BUCKETS	BIT(BUCKET_BITS)
#define NR_IN_BUCKET	4	/* each is looked at when a wait begins */

#define BLOCKED	(PPROF_SWITCH_PREV | PPROF_SWITCH_BLOCKS)

struct contended {
	u64 address;
	u32 tgid;
	u32 nr_waiters;		/* 0: the entry is free */
	u64 waited_ns;		/* by all of them since the last unlock, until as_of_ns */
	u64 as_of_ns;
	u64 unlocked_ns;	/* the last time */
};

/* Taken with interrupts off, inside the scheduler's locks; nothing inside of it. */
struct bucket {
	raw_spinlock_t lock;
	struct contended locks[NR_IN_BUCKET];
};

struct mutex_source {
	struct pprof_sink *sink;
	u32 one_in;
	struct pprof_waits waits;
	struct bucket *buckets;
	u32 __percpu *randoms;
};

static struct bucket *bucket_of(struct mutex_source *source, u64 address, u32 tgid)
{
	return &source->buckets[hash_64(address + tgid * GOLDEN_RATIO_64, BUCKET_BITS)];
}

/* Up to @now, or a little later: the clocks of CPUs may differ by as much. */
static u64 settle(struct contended *lock, u64 now)
{
	if (now < lock->as_of_ns)
		now = lock->as_of_ns;
	lock->waited_ns += (now - lock->as_of_ns) * lock->nr_waiters;
	lock->as_of_ns = now;
	return now;
}

/* The entry of the lock, or a free one that becomes it; NULL: no place. */
static struct contended *find_lock(struct bucket *bucket, u64 address, u32 tgid, u64 now)
{
	struct contended *free = NULL, *lock = bucket->locks;

	for (; lock < bucket->locks + NR_IN_BUCKET; lock++) {
		if (!lock->nr_waiters)
			free = lock;
		else if (lock->address == address && lock->tgid == tgid)
			return lock;
	}
	if (free)
		*free = (struct contended) {
			.address = address, .tgid = tgid, .as_of_ns = now, .unlocked_ns = now,
		};
	return free;
}

/* Where there is no place, its wait is one that was charged to nobody. */
static void begin_wait(struct mutex_source *source, struct task_struct *task, u64 address)
{
	struct bucket *bucket = bucket_of(source, address, task->tgid);
	u64 now = local_clock();
	struct contended *lock;

	raw_spin_lock(&bucket->lock);
	lock = find_lock(bucket, address, task->tgid, now);
	if (lock) {
		now = settle(lock, now);
		if (pprof_waits_add(&source->waits, task->pid, now, lock))
			lock->nr_waiters++;
		else
			lock = NULL;
	}
	raw_spin_unlock(&bucket->lock);
	if (!lock)
		pprof_record_lost(source->sink, PPROF_SOURCE_MUTEX, 1, PPROF_LOST_QUEUE);
}

/* @wait was claimed. The entry stays the same lock's while it is counted there. */
static u64 end_wait(struct mutex_source *source, struct pprof_wait *wait, bool by_unlock)
{
	struct contended *lock = wait->on;
	struct bucket *bucket = bucket_of(source, lock->address, lock->tgid);
	u64 charge = 0, now;

	raw_spin_lock(&bucket->lock);
	now = settle(lock, local_clock());
	if (by_unlock) {
		charge = lock->waited_ns;
		lock->waited_ns = 0;
		lock->unlocked_ns = now;
	} else {
		lock->waited_ns -= now - max(wait->since_ns, lock->unlocked_ns);
	}
	lock->nr_waiters--;
	raw_spin_unlock(&bucket->lock);
	pprof_waits_del(wait);
	return charge;
}

/*
 * Joins and condition variables wait by FUTEX_WAIT_BITSET for other values than
 * glibc's and Rust's mutexes, which have 2 for "locked, and waited for". Who waits
 * for a 0 waits for an event, as Go's idle threads do, or for a semaphore: no lock is
 * 0 while somebody has it.
 */
static bool is_lock(const struct pt_regs *futex)
{
	switch (futex->si & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return (u32)futex->dx;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	case FUTEX_WAIT_BITSET:
		return (u32)futex->dx == 2;
	}
	return false;
}

/*
 * Is current unlocking what it wakes a waiter of? An unlock wakes one: who wakes
 * all opens a barrier. Timeouts and signals come in interrupts or by other system
 * calls; a robust lock may be left by an exit.
 */
static bool is_unlock(void)
{
	const struct pt_regs *futex;

	if (!in_task() || !current->mm)
		return false;
	if (current->flags & PF_EXITING)
		return true;
	futex = pprof_arch_in_syscall(current, __NR_futex);
	if (!futex)
		return false;
	switch (futex->si & FUTEX_CMD_MASK) {
	case FUTEX_UNLOCK_PI:
		return true;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
		return (u32)futex->dx == 1;
	}
	return false;
}

/* glibc before 2.34 waits for the end of a thread by FUTEX_WAIT for its tid. */
static bool is_join(const struct contended *lock)
{
	return (current->flags & PF_EXITING) &&
	       lock->address == (unsigned long)current->clear_child_tid;
}

static void charge_current(struct mutex_source *source, u64 waited_ns)
{
	struct pprof_happening what = {
		.source = PPROF_SOURCE_MUTEX, .weight = 1, .value = waited_ns,
		.time_ns = ktime_get_mono_fast_ns(),
	};

	if (source->one_in == 1 ||
	    pprof_random(this_cpu_ptr(source->randoms)) % source->one_in == 0)
		pprof_record_sample(source->sink, &what);
}

/*
 * Interrupts are off, @task's pi_lock is held, so that one at a time wakes it; but if
 * it is current: that waits for nothing any more. Another process, which shares the
 * lock, is not ours to look into: unless it is a target, too, nobody is charged.
 */
static void probe_waking(void *data, struct task_struct *task)
{
	struct mutex_source *source = data;
	struct pprof_wait *wait;

	if (!pprof_target_has(source->sink->target, task) || task == current)
		return;
	wait = pprof_waits_find(&source->waits, task->pid);
	if (!wait || !is_unlock() || !pprof_target_has(source->sink->target, current) ||
	    !pprof_waits_claim(wait, task->pid))
		return;
	if (is_join(wait->on))
		end_wait(source, wait, false);
	else
		charge_current(source, end_wait(source, wait, true));
}

static void note_switch(void *state, struct task_struct *prev, struct task_struct *next, u32 what)
{
	struct mutex_source *source = state;
	const struct pt_regs *futex = NULL;
	struct pprof_wait *wait;

	if ((what & BLOCKED) == BLOCKED)
		futex = pprof_arch_in_syscall(prev, __NR_futex);
	if (futex && is_lock(futex))
		begin_wait(source, prev, futex->di);
	if (!(what & PPROF_SWITCH_NEXT))
		return;
	wait = pprof_waits_find(&source->waits, next->pid);
	if (wait && pprof_waits_claim(wait, next->pid))
		end_wait(source, wait, false);
}

static void free_source(struct mutex_source *source)
{
	free_percpu(source->randoms);
	vfree(source->buckets);
	pprof_waits_fini(&source->waits);
	kfree(source);
}

static int fill_source(struct mutex_source *source)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	u32 *random;
	int cpu;

	source->randoms = alloc_percpu_gfp(u32, gfp);
	source->buckets = __vmalloc(NR_BUCKETS * sizeof(struct bucket), gfp);
	if (!source->randoms || !source->buckets)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		random = per_cpu_ptr(source->randoms, cpu);
		*random = get_random_u32() | 1;
	}
	for (u32 i = 0; i < NR_BUCKETS; i++)
		raw_spin_lock_init(&source->buckets[i].lock);
	return pprof_waits_init(&source->waits);
}

static int start(struct pprof_sink *sink, u64 one_in, void **state)
{
	struct mutex_source *source;
	int err;

	check_trace_callback_type_sched_waking(probe_waking);
	if (!one_in || one_in > PPROF_MAX_MUTEX_FRACTION)
		return -EINVAL;
	source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);
	if (!source)
		return -ENOMEM;
	source->sink = sink;
	source->one_in = one_in;
	err = fill_source(source);
	if (err)
		goto free;
	err = pprof_hook_add(PPROF_HOOK_WAKING, probe_waking, source);
	if (err)
		goto free;
	err = pprof_switches_add(&sink->switches, note_switch, source);
	if (err)
		goto waking;
	*state = source;
	return 0;
waking:
	pprof_hook_del(PPROF_HOOK_WAKING, probe_waking, source);
	tracepoint_synchronize_unregister();
free:
	free_source(source);
	return err;
}

static void stop(void *state)
{
	struct mutex_source *source = state;

	pprof_hook_del(PPROF_HOOK_WAKING, probe_waking, source);
	pprof_switches_del(&source->sink->switches, source);
	tracepoint_synchronize_unregister();	/* whom probe_waking() wakes may be itself */
	free_source(source);
}

const struct pprof_source pprof_src_mutex = {
	.start = start,
	.stop = stop,
};
