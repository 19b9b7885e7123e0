// SPDX-License-Identifier: GPL-2.0
/*
 * Source MUTEX: the stacks that held locks which other threads waited for. The stack of the unlock
 * is charged with the time that all waiters waited while it held the lock: 5 waiters of 1 s are 5
 * s.
 *
 * A lock of user space is a futex, identified by process and address. For each one with waiters
 * this keeps the time integral of the number of waiters. An unlock takes it, and sets it to 0. So
 * if a waiter also waits for the next holder, each holder is charged with its share.
 */
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/threads.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>
#include <uapi/linux/futex.h>

#include "arch/regs.h"
#include "base/user_regs.h"
#include "base/tracepoints.h"
#include "base/prng.h"
#include "source/source.h"
#include "source/wait_table.h"

#define BUCKET_BITS	10
#define NR_BUCKETS	BIT(BUCKET_BITS)
#define NR_IN_BUCKET	4	/* all are looked at when a wait begins */

#define BLOCKED	(PPROF_SWITCH_PREV | PPROF_SWITCH_BLOCKS)

struct contended {
	u64 address;
	u32 tgid;
	u32 nr_waiters;		/* 0: the entry is free */
	/* Value that the first one waited for, if it may be a count: see maybe_count() */
	u32 count;
	u64 waited_ns;		/* by all waiters since the last unlock, until as_of_ns */
	u64 as_of_ns;
	u64 unlocked_ns;	/* time of the last unlock */
};

/*
 * The lock is taken with interrupts off, inside the scheduler's locks. No lock is taken inside it.
 */
struct bucket {
	raw_spinlock_t lock;
	struct contended locks[NR_IN_BUCKET];
};

struct mutex_source {
	struct pprof_sink *sink;
	u32 one_in;
	struct pprof_wait_table waits;
	struct bucket *buckets;
	u32 __percpu *randoms;
};

static struct bucket *bucket_of(struct mutex_source *source, u64 address, u32 tgid)
{
	return &source->buckets[hash_64(address + tgid * GOLDEN_RATIO_64, BUCKET_BITS)];
}

/* Settles up to @now, or a little later: the clocks of two CPUs may differ by that much. */
static u64 settle(struct contended *lock, u64 now)
{
	if (now < lock->as_of_ns)
		now = lock->as_of_ns;
	lock->waited_ns += (now - lock->as_of_ns) * lock->nr_waiters;
	lock->as_of_ns = now;
	return now;
}

/*
 * Returns the value for which the thread waits, if it may be a count and not the word of a lock;
 * else 0. Condition variables also wait by FUTEX_WAIT_BITSET: for a count of their signals. That
 * count is 2 or 3 at some time, as the words of locks are.
 */
static u32 maybe_count(const struct pt_regs *futex)
{
	const bool is_bitset = (pprof_arch_arg(futex, 1) & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	const u32 value = pprof_arch_arg(futex, 2);

	return is_bitset && value <= 3 ? value : 0;
}

static void begin_lock(struct contended *lock, const struct pt_regs *futex, u32 tgid, u64 now)
{
	lock->address = pprof_arch_arg(futex, 0);
	lock->tgid = tgid;
	lock->count = maybe_count(futex);
	lock->waited_ns = 0;
	lock->as_of_ns = now;
	lock->unlocked_ns = now;
}

/* Returns the entry of the lock, which may be a new one; NULL: the bucket is full. */
static struct contended *find_lock(struct bucket *bucket, const struct pt_regs *futex, u32 tgid,
				   u64 now)
{
	struct contended *free = NULL, *lock = bucket->locks;

	for (; lock < bucket->locks + NR_IN_BUCKET; lock++) {
		if (!lock->nr_waiters)
			free = lock;
		else if (lock->address == pprof_arch_arg(futex, 0) && lock->tgid == tgid)
			return lock;
	}
	if (free)
		begin_lock(free, futex, tgid, now);
	return free;
}

/* If a table is full, the wait is counted as lost. */
static void begin_wait(struct mutex_source *source, struct task_struct *task,
		       const struct pt_regs *futex)
{
	struct bucket *bucket = bucket_of(source, pprof_arch_arg(futex, 0), task->tgid);
	u64 now = local_clock();
	struct contended *lock;

	raw_spin_lock(&bucket->lock);
	lock = find_lock(bucket, futex, task->tgid, now);
	if (lock) {
		now = settle(lock, now);
		if (pprof_wait_table_add(&source->waits, task->pid, now, lock))
			lock->nr_waiters++;
		else
			lock = NULL;
	}
	raw_spin_unlock(&bucket->lock);
	if (!lock)
		pprof_record_lost(source->sink, PPROF_SOURCE_MUTEX, 1, PPROF_LOST_QUEUE);
}

/* The caller has claimed @wait. The entry stays that of the lock while the waiter counts there. */
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
		WRITE_ONCE(lock->unlocked_ns, now);	/* pairs with is_unlock_of_doubtful() */
	} else {
		lock->waited_ns -= now - max(wait->since_ns, lock->unlocked_ns);
	}
	lock->nr_waiters--;
	raw_spin_unlock(&bucket->lock);
	pprof_wait_table_del(wait);
	return charge;
}

/*
 * A robust mutex with a timeout waits by FUTEX_WAIT_BITSET for a tid with FUTEX_WAITERS. Since
 * glibc 2.34 a join of a thread waits for a tid without that bit. A parked thread of Rust waits for
 * ~0, which has that bit, too.
 */
static bool is_robust(u32 value)
{
	return value - FUTEX_WAITERS < PID_MAX_LIMIT;
}

/*
 * FUTEX_WAIT_BITSET, by value:
 * - 2: Rust's mutexes, and glibc's with a timeout: locked, with waiters.
 * - 2 and 3: glibc's rwlocks.
 * - Other values: joins and condition variables. For a count see has_grown().
 *
 * Readers of glibc's rwlocks that let a writer go first wait for the number of readers before it.
 * That cannot be distinguished from a count.
 *
 * A thread that waits for 0 waits for an event, as Go's idle threads do, or for a semaphore. No
 * lock is 0 while a thread holds it.
 */
static bool is_lock(const struct pt_regs *futex)
{
	const u32 value = pprof_arch_arg(futex, 2);

	switch (pprof_arch_arg(futex, 1) & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return value;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	case FUTEX_WAIT_BITSET:
		return value == 2 || value == 3 || is_robust(value);
	}
	return false;
}

/*
 * Condition variables of Rust, and of glibc since 2.41, first raise their count of signals, then
 * wake the waiters for it. At the wake-up of a lock its word is less, or the same if another thread
 * has taken the lock.
 *
 * The result is wrong in two cases:
 * - An rwlock whose last reader has yet to wake a writer when the next reader waits. That changes
 *   the writer's 2 to 3.
 * - A condition variable of which one thread takes the signal off the count before the other is
 *   woken.
 */
static bool has_grown(u32 count, const struct pt_regs *futex)
{
	const void __user *address = (const void __user *)pprof_arch_arg(futex, 0);
	u32 word;

	return !copy_from_user_nofault(&word, address, sizeof(word)) && word > count;
}

/*
 * Rwlocks wake all waiters. A thread that has waited since before the last unlock is one more
 * waiter of the same wake-up. All the time was charged when the first one woke.
 */
static bool is_unlock_of_doubtful(const struct pprof_wait *wait, const struct pt_regs *futex)
{
	const struct contended *lock = wait->on;
	const u32 nr_woken = pprof_arch_arg(futex, 2);

	if (nr_woken == INT_MAX && wait->since_ns < READ_ONCE(lock->unlocked_ns))
		return false;
	return (nr_woken == 1 || nr_woken == INT_MAX) && !has_grown(lock->count, futex);
}

/* glibc before 2.34 joins a thread by FUTEX_WAIT for its tid. */
static bool is_join(const struct contended *lock)
{
	return lock->address == (unsigned long)current->clear_child_tid;
}

/*
 * Is current unlocking the lock whose waiter it wakes? It is in no interrupt. The caller has
 * claimed @wait.
 *
 * An unlock wakes one waiter. A futex call that wakes all waiters is no unlock: it opens a barrier.
 * The exceptions are rwlocks: see is_unlock_of_doubtful(). Signals come by other system calls. An
 * exit may release a robust lock.
 */
static bool is_unlock(const struct pprof_wait *wait)
{
	const struct contended *lock = wait->on;
	const struct pt_regs *futex;

	if (current->flags & PF_EXITING)
		return current->mm && !is_join(lock);
	futex = pprof_user_regs_in_syscall(current, __NR_futex);
	if (!futex)
		return false;
	switch (pprof_arch_arg(futex, 1) & FUTEX_CMD_MASK) {
	case FUTEX_UNLOCK_PI:
		return true;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
		if (lock->count)
			return is_unlock_of_doubtful(wait, futex);
		return (u32)pprof_arch_arg(futex, 2) == 1;
	}
	return false;
}

static void charge_current(struct mutex_source *source, u64 waited_ns)
{
	struct pprof_sample_info info = {
		.source = PPROF_SOURCE_MUTEX, .weight = 1, .value = waited_ns,
		.time_ns = ktime_get_mono_fast_ns(),
	};

	if (source->one_in == 1 ||
	    pprof_random(this_cpu_ptr(source->randoms)) % source->one_in == 0)
		pprof_record_sample(source->sink, &info);
}

/*
 * @task's pi_lock is held, so that one CPU at a time wakes it. Only if current wakes itself, it is
 * not held: current waits for nothing any more, so this returns. The waker may be of another
 * process that shares the lock. If that process is no target, no stack is charged.
 * Context: interrupts off.
 */
static void probe_waking(void *data, struct task_struct *task)
{
	struct mutex_source *source = data;
	struct pprof_wait *wait;

	if (!pprof_target_has(source->sink->target, task) || task == current)
		return;
	wait = pprof_wait_table_of(&source->waits, task);
	if (!wait || !in_task() || !pprof_target_has(source->sink->target, current) ||
	    !pprof_wait_table_claim(wait, task->pid))
		return;
	if (is_unlock(wait))
		charge_current(source, end_wait(source, wait, true));
	else
		end_wait(source, wait, false);
}

static void note_switch(void *state, struct task_struct *prev, struct task_struct *next, u32 flags)
{
	struct mutex_source *source = state;
	const struct pt_regs *futex = NULL;
	struct pprof_wait *wait;

	if ((flags & BLOCKED) == BLOCKED)
		futex = pprof_user_regs_in_syscall(prev, __NR_futex);
	if (futex && is_lock(futex))
		begin_wait(source, prev, futex);
	if (!(flags & PPROF_SWITCH_NEXT))
		return;
	wait = pprof_wait_table_of(&source->waits, next);
	if (wait && pprof_wait_table_claim(wait, next->pid))
		end_wait(source, wait, false);
}

static void free_source(struct mutex_source *source)
{
	free_percpu(source->randoms);
	vfree(source->buckets);
	pprof_wait_table_fini(&source->waits);
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
	return pprof_wait_table_init(&source->waits);
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
	err = pprof_tracepoint_add(PPROF_TRACEPOINT_WAKING, probe_waking, source);
	if (err)
		goto free;
	err = pprof_switches_add(&sink->switches, note_switch, source);
	if (err)
		goto waking;
	*state = source;
	return 0;
waking:
	pprof_tracepoint_del(PPROF_TRACEPOINT_WAKING, probe_waking, source);
	tracepoint_synchronize_unregister();
free:
	free_source(source);
	return err;
}

static void stop(void *state)
{
	struct mutex_source *source = state;

	pprof_tracepoint_del(PPROF_TRACEPOINT_WAKING, probe_waking, source);
	pprof_switches_del(&source->sink->switches, source);
	tracepoint_synchronize_unregister();	/* probe_waking() may wake current itself */
	free_source(source);
}

const struct pprof_source pprof_src_mutex = {
	.start = start,
	.stop = stop,
};
