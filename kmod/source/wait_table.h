/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads wait, and since when: noted where they leave a CPU. */
#ifndef PPROF_WAITS_H
#define PPROF_WAITS_H

#include <asm/barrier.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

/* 1.5 MiB a table; a power of two. */
#define PPROF_WAITS_SLOTS	65536U
#define PPROF_WAITS_BUCKET	4U
#define PPROF_WAITS_REACH	8U	/* buckets in a row that may have a tid's wait */

#define PPROF_WAITS_BUSY	(~0U)	/* no tid */

struct pprof_wait {
	u32 tid;	/* in the initial namespace; 0: free, BUSY: being filled or emptied */
	u32 mark;	/* of a bucket: see enum pprof_waits_mark */
	u64 since_ns;
	void *on;	/* the source's: what it waits for */
};

/* What is true of a bucket since it was first so, by the slot whose mark says it. */
enum pprof_waits_mark {
	PPROF_WAITS_SPILLED,	/* waits of it are in those that follow */
	PPROF_WAITS_FULL,	/* and there was no room for one there */
};

/*
 * Where a thread leaves a CPU nothing can be allocated, so that the places are
 * there from the start: that of a thread is among the slots of the bucket that its
 * tid tells. Tids come in sequence, which fills buckets evenly, one after the other:
 * so many pools of threads as a bucket has slots may lie over one another. Tids that are
 * scattered fill some sooner: 10,000 have 8 too many for theirs, on average, which go to
 * the next buckets. In windows that overlap all the time two pools would fill all.
 *
 * A thread's slot is written by the CPU that it leaves, and emptied by the one
 * that it comes to; the scheduler's locks put these in order, and what happens
 * between them, in a waker, finds all or nothing.
 */
struct pprof_waits {
	struct pprof_wait *slots;
};

/* May sleep. -ENOMEM. */
int pprof_waits_init(struct pprof_waits *waits);

/* Nobody looks into it any more. A zeroed one is left alone. */
void pprof_waits_fini(struct pprof_waits *waits);

/* The functions below: any context, no lock. */

/* Notes that @tid waits. False: its bucket is full, and those that follow are. */
bool pprof_waits_add(struct pprof_waits *waits, u32 tid, u64 since_ns, void *on);

/* Where the slots begin that may be @tid's. */
static inline struct pprof_wait *pprof_waits_bucket(const struct pprof_waits *waits, u32 tid)
{
	return &waits->slots[tid % (PPROF_WAITS_SLOTS / PPROF_WAITS_BUCKET) * PPROF_WAITS_BUCKET];
}

/* The wait of @tid, where it spilled to; or NULL. */
struct pprof_wait *pprof_waits_find_spilled(const struct pprof_waits *waits, u32 tid);

static inline struct pprof_wait *pprof_waits_find_in(struct pprof_wait *bucket, u32 tid)
{
	struct pprof_wait *end = bucket + PPROF_WAITS_BUCKET;

	for (; bucket < end; bucket++)
		if (smp_load_acquire(&bucket->tid) == tid)	/* with pprof_waits_add() */
			return bucket;
	return NULL;
}

static inline bool pprof_waits_is(const struct pprof_waits *waits, u32 tid,
				  enum pprof_waits_mark mark)
{
	return READ_ONCE(pprof_waits_bucket(waits, tid)[mark].mark);
}

/* The wait of @tid or NULL; its caller may empty it with pprof_waits_del(). */
static inline struct pprof_wait *pprof_waits_find(const struct pprof_waits *waits, u32 tid)
{
	struct pprof_wait *wait = pprof_waits_find_in(pprof_waits_bucket(waits, tid), tid);

	return wait || !pprof_waits_is(waits, tid, PPROF_WAITS_SPILLED) ?
		wait : pprof_waits_find_spilled(waits, tid);
}

/*
 * The same of @task, if it is not on its way out: then it has none, as nobody notes any
 * more, and the last one went as it came to a CPU. Its tid may be another's by now.
 */
static inline struct pprof_wait *pprof_waits_of(const struct pprof_waits *waits,
						const struct task_struct *task)
{
	return READ_ONCE(task->flags) & PF_EXITING ? NULL : pprof_waits_find(waits, task->pid);
}

/*
 * How long, at @now of the clock of since_ns: local_clock(), for one, which costs
 * a third of CLOCK_MONOTONIC. That of another CPU may be a little behind.
 */
static inline u64 pprof_waits_until(const struct pprof_wait *wait, u64 now)
{
	return now > wait->since_ns ? now - wait->since_ns : 0;
}

/*
 * Before 6.15 a thread with a signal may seem to wait, and yet run on: then its
 * waker and the CPU that it comes to both find its wait. True for one of them, who
 * empties the slot.
 */
static inline bool pprof_waits_claim(struct pprof_wait *wait, u32 tid)
{
	return cmpxchg(&wait->tid, tid, PPROF_WAITS_BUSY) == tid;
}

/* Empties a slot that was found, and claimed where two may have found it. */
static inline void pprof_waits_del(struct pprof_wait *wait)
{
	smp_store_release(&wait->tid, 0);	/* with claim(): what was read is read */
}

#endif
