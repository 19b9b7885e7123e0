/* SPDX-License-Identifier: GPL-2.0 */
/* The unwind tables of a session, and the ranges of its processes. */
#ifndef PPROF_SPACES_H
#define PPROF_SPACES_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "unwind/rule_cache.h"
#include "unwind/process_ranges.h"

#define PPROF_SPACES_SLOTS	8192U	/* a power of two */
#define PPROF_SPACES_BUCKET	16U

struct pprof_spaces_slot {
	u32 tgid;	/* in the initial namespace; 0: free */
	struct pprof_space __rcu *space;
	u64 image;	/* exec id that it was set for; a child has its parent's */
};

/*
 * The ranges of each process, in a table of fixed size. No memory can be allocated where a process
 * forks. The slot of a process is in the bucket of its tgid. The kernel gives tgids in sequence,
 * which fills the buckets evenly.
 *
 * The key is the tgid and not the mm. Process events have the tgid, and an exec keeps it. A child
 * of vfork() shares the mm of its parent, but has its own tgid.
 */
struct pprof_spaces {
	struct pprof_spaces_slot *slots;
	struct pprof_rulecache __percpu *caches;
	struct xarray tables;	/* by number */
	atomic64_t cost;	/* of all tables and ranges, see pprof_spaces_cost() */
	raw_spinlock_t lock;	/* guards writes to slots, and last_epoch; irq-safe */
	u64 last_epoch;
};

/* Returns the bytes that are charged for @bytes of a table, or of the ranges of a process. */
static inline u64 pprof_spaces_cost(u64 bytes)
{
	return bytes + 256;
}

/*
 * Returns the charge for @bytes.
 * Context: any.
 */
static inline void pprof_spaces_uncharge(struct pprof_spaces *spaces, u64 bytes)
{
	atomic64_sub(pprof_spaces_cost(bytes), &spaces->cost);
}

/*
 * Returns: 0, or -ENOMEM: as if never called.
 * Sleeps.
 */
int pprof_spaces_init(struct pprof_spaces *spaces);

/*
 * Frees all. No reader may be left. A zeroed one is left alone.
 * Sleeps.
 */
void pprof_spaces_fini(struct pprof_spaces *spaces);

/*
 * Copies and checks a table of @bytes, and returns its number in *number. The caller has checked
 * the size, and has charged its cost. The table owns that charge. An error gives it back.
 * Returns: 0, -EFAULT, -EINVAL or -ENOMEM.
 * Sleeps.
 */
int pprof_spaces_add_table(struct pprof_spaces *spaces, const void __user *from, u32 bytes,
			   u32 *number);

/*
 * Frees the number of a table. Ranges that use it keep the table.
 * Returns: 0, or -ENOENT.
 * Sleeps.
 */
int pprof_spaces_drop_table(struct pprof_spaces *spaces, u32 number);

/*
 * Replaces all ranges of the process @tgid with the exec id @image. It has @exec_pages pages of
 * executable memory. The caller has charged the cost of @ranges, as for a table.
 * Returns: 0, -EINVAL, -ENOENT, -ENOMEM, or -ENOSPC: no free slot.
 * Sleeps.
 */
int pprof_spaces_set(struct pprof_spaces *spaces, pid_t tgid, u64 image,
		     const struct pprof_range *ranges, u32 nr, u64 exec_pages);

/*
 * Gives @child the ranges of @parent. Without a free slot the child has none, and its samples have
 * the end reason PPROF_END_NO_RANGES.
 * Locks: takes spaces->lock.
 * Context: any but NMI.
 */
void pprof_spaces_fork(struct pprof_spaces *spaces, pid_t parent, pid_t child);

/*
 * Drops the ranges of @tgid, unless they are for the exec id @image; 0: always. An exec maps memory
 * before its hook is called. So the ranges of the new program may be there already.
 * Locks: takes spaces->lock.
 * Context: any but NMI.
 */
void pprof_spaces_drop(struct pprof_spaces *spaces, pid_t tgid, u64 image);

/* Returns the first slot of the bucket of @tgid. */
static inline struct pprof_spaces_slot *pprof_spaces_bucket(const struct pprof_spaces *spaces,
							    u32 tgid)
{
	u32 bucket = tgid % (PPROF_SPACES_SLOTS / PPROF_SPACES_BUCKET);

	return &spaces->slots[bucket * PPROF_SPACES_BUCKET];
}

/*
 * Returns the ranges of @tgid, or NULL. They are valid until interrupts are on again.
 * Context: interrupts off.
 */
static inline const struct pprof_space *pprof_spaces_find(const struct pprof_spaces *spaces,
							  u32 tgid)
{
	const struct pprof_spaces_slot *slot = pprof_spaces_bucket(spaces, tgid);
	const struct pprof_spaces_slot *end = slot + PPROF_SPACES_BUCKET;

	for (; slot < end; slot++)
		if (smp_load_acquire(&slot->tgid) == tgid)	/* pairs with set_slot() */
			return rcu_dereference_sched(slot->space);
	return NULL;
}

#endif
