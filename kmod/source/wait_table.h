/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The off-CPU wait table: which threads are off a CPU, and since when. A thread is entered where it
 * leaves a CPU. See "Slot tables" in doc/design.md.
 */
#ifndef PPROF_WAIT_TABLE_H
#define PPROF_WAIT_TABLE_H

#include <asm/barrier.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

/* A power of two: 1.5 MiB a table. */
#define PPROF_WAIT_TABLE_SLOTS	65536U
#define PPROF_WAIT_TABLE_BUCKET	4U
/* Number of buckets in a row that may hold the wait of a tid */
#define PPROF_WAIT_TABLE_REACH	8U

#define PPROF_WAIT_TABLE_BUSY	(~0U)	/* no tid */

struct pprof_wait {
	/* In the initial namespace; 0: free, PPROF_WAIT_TABLE_BUSY: being filled or emptied */
	u32 tid;
	u32 mark;	/* of the bucket, see enum pprof_wait_mark */
	u64 since_ns;
	void *on;	/* data of the source about this wait */
};

/*
 * Facts about a bucket. Once true, they stay true. The slot with this index in the bucket has the
 * mark.
 */
enum pprof_wait_mark {
	PPROF_WAIT_TABLE_SPILLED,	/* some waits are in the following buckets */
	PPROF_WAIT_TABLE_FULL,	/* some waits had no room there either */
};

/*
 * A table of fixed size: no memory can be allocated where a thread leaves a CPU. The slot of a
 * thread is in the bucket of its tid. The kernel gives tids in sequence, which fills the buckets
 * evenly. As many pools of threads as a bucket has slots may have the same buckets.
 *
 * Scattered tids fill some buckets sooner. Of 10,000 such tids 8 find their bucket full, on
 * average. They go to the following buckets. Windows of slots that overlap are rejected: two pools
 * would fill all of them.
 *
 * The CPU that a thread leaves writes its slot. The CPU to which it comes empties it. The
 * scheduler's locks order these two. A waker between them finds the whole entry or none. In source
 * MUTEX the waker may empty it: see pprof_wait_table_claim().
 */
struct pprof_wait_table {
	struct pprof_wait *slots;
};

/*
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_wait_table_init(struct pprof_wait_table *waits);

/* Frees the table. No hook may use it any more. A zeroed table is left alone. Sleeps. */
void pprof_wait_table_fini(struct pprof_wait_table *waits);

/* Context of the functions below: any. Locks: none. */

/*
 * Adds the wait of @tid. since_ns and on become those of its slot.
 * Returns: false if its bucket and the following ones are full.
 */
bool pprof_wait_table_add(struct pprof_wait_table *waits, u32 tid, u64 since_ns, void *on);

/* Returns the first slot of the bucket of @tid. */
static inline struct pprof_wait *pprof_wait_table_bucket(const struct pprof_wait_table *waits,
							 u32 tid)
{
	return &waits->slots[tid % (PPROF_WAIT_TABLE_SLOTS / PPROF_WAIT_TABLE_BUCKET) *
			     PPROF_WAIT_TABLE_BUCKET];
}

/* Returns the wait of @tid in the buckets that follow its own, or NULL. */
struct pprof_wait *pprof_wait_table_find_spilled(const struct pprof_wait_table *waits, u32 tid);

/* Returns the wait of @tid in @bucket, or NULL. */
static inline struct pprof_wait *pprof_wait_table_find_in(struct pprof_wait *bucket, u32 tid)
{
	struct pprof_wait *end = bucket + PPROF_WAIT_TABLE_BUCKET;

	for (; bucket < end; bucket++)
		if (smp_load_acquire(&bucket->tid) == tid) /* pairs with pprof_wait_table_add() */
			return bucket;
	return NULL;
}

/* Does the bucket of @tid have @mark? */
static inline bool pprof_wait_table_is(const struct pprof_wait_table *waits, u32 tid,
				       enum pprof_wait_mark mark)
{
	return READ_ONCE(pprof_wait_table_bucket(waits, tid)[mark].mark);
}

/* Returns the wait of @tid, or NULL. The caller may empty it by pprof_wait_table_del(). */
static inline struct pprof_wait *pprof_wait_table_find(const struct pprof_wait_table *waits,
						       u32 tid)
{
	struct pprof_wait *wait =
		pprof_wait_table_find_in(pprof_wait_table_bucket(waits, tid), tid);

	return wait || !pprof_wait_table_is(waits, tid, PPROF_WAIT_TABLE_SPILLED) ?
		wait : pprof_wait_table_find_spilled(waits, tid);
}

/*
 * The same for @task. Returns NULL if @task is exiting. Such a thread is not entered any more, and
 * its last wait was removed when it came to a CPU. Its tid may already belong to another thread.
 */
static inline struct pprof_wait *pprof_wait_table_of(const struct pprof_wait_table *waits,
						     const struct task_struct *task)
{
	return READ_ONCE(task->flags) & PF_EXITING ? NULL : pprof_wait_table_find(waits, task->pid);
}

/*
 * Returns the ns from since_ns to @now, of the same clock. local_clock() is such a clock: it costs
 * a third of CLOCK_MONOTONIC. That of another CPU may be a little behind.
 */
static inline u64 pprof_wait_table_until(const struct pprof_wait *wait, u64 now)
{
	return now > wait->since_ns ? now - wait->since_ns : 0;
}

/*
 * Before 6.15 a thread with a signal may seem to wait, and yet run on. Then its waker and the CPU
 * to which it comes both find its wait.
 * Returns: true for one of them, which empties the slot.
 */
static inline bool pprof_wait_table_claim(struct pprof_wait *wait, u32 tid)
{
	return cmpxchg(&wait->tid, tid, PPROF_WAIT_TABLE_BUSY) == tid;
}

/* Empties a slot. Where two CPUs may have found it, the caller has claimed it. */
static inline void pprof_wait_table_del(struct pprof_wait *wait)
{
	/* Pairs with pprof_wait_table_claim(): all reads of the slot are done */
	smp_store_release(&wait->tid, 0);
}

#endif
