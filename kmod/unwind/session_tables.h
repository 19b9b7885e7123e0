/* SPDX-License-Identifier: GPL-2.0 */
/* A session's unwind tables, and which of them unwind what of which process. */
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
	u64 image;	/* that it was set for; a child has its parent's */
};

/*
 * Where a process forks, nothing can be allocated. So the places for processes
 * are there from the start: that of one is among the slots of the bucket that its
 * tgid tells. Tgids come in sequence, which fills them evenly.
 *
 * By tgid, since it is that which lives end in, and an exec keeps; a child of
 * vfork(), on its parent's mm, has one of its own.
 */
struct pprof_spaces {
	struct pprof_spaces_slot *slots;
	struct pprof_rulecache __percpu *caches;
	struct xarray tables;	/* by number */
	atomic64_t cost;	/* of all that is held, see pprof_spaces_cost() */
	raw_spinlock_t lock;	/* guards writing slots, and last_epoch; irq-safe */
	u64 last_epoch;
};

/* What is held for @bytes of a table, or of the ranges of a process. */
static inline u64 pprof_spaces_cost(u64 bytes)
{
	return bytes + 256;
}

/* What was charged for @bytes is free again. Any context. */
static inline void pprof_spaces_uncharge(struct pprof_spaces *spaces, u64 bytes)
{
	atomic64_sub(pprof_spaces_cost(bytes), &spaces->cost);
}

/* May sleep. -ENOMEM: as if never called. */
int pprof_spaces_init(struct pprof_spaces *spaces);

/* Nobody looks into it any more. May sleep. A zeroed one is left alone. */
void pprof_spaces_fini(struct pprof_spaces *spaces);

/*
 * Copies a table of @bytes, which are not too many, and gives its number. The
 * caller has added its cost, which goes with it, also if this fails: -EFAULT,
 * -EINVAL, -ENOMEM. May sleep.
 */
int pprof_spaces_add_table(struct pprof_spaces *spaces, const void __user *from, u32 bytes,
			   u32 *number);

/* Ranges that use it keep it. -ENOENT. May sleep. */
int pprof_spaces_drop_table(struct pprof_spaces *spaces, u32 number);

/*
 * Sets all ranges of a process, which executes @image and has @exec_pages of
 * executable memory. For the cost of @ranges as for a table's. -EINVAL, -ENOENT,
 * -ENOMEM; -ENOSPC if there is no slot. May sleep.
 */
int pprof_spaces_set(struct pprof_spaces *spaces, pid_t tgid, u64 image,
		     const struct pprof_range *ranges, u32 nr, u64 exec_pages);

/*
 * Any context, as what follows. The child has what its parent has; if there is
 * no slot for it, it has nothing, as its samples tell.
 */
void pprof_spaces_fork(struct pprof_spaces *spaces, pid_t parent, pid_t child);

/*
 * The process executes @image now (0: it has ended), and ranges that were set for
 * another are void. An exec maps memory before its hook is called, so that those
 * of the new image may be there already.
 */
void pprof_spaces_drop(struct pprof_spaces *spaces, pid_t tgid, u64 image);

/* Where the slots begin that may be @tgid's. */
static inline struct pprof_spaces_slot *pprof_spaces_bucket(const struct pprof_spaces *spaces,
							    u32 tgid)
{
	u32 bucket = tgid % (PPROF_SPACES_SLOTS / PPROF_SPACES_BUCKET);

	return &spaces->slots[bucket * PPROF_SPACES_BUCKET];
}

/* Of @tgid, which runs: NULL if nothing is known. Until interrupts are on again. */
static inline const struct pprof_space *pprof_spaces_find(const struct pprof_spaces *spaces,
							  u32 tgid)
{
	const struct pprof_spaces_slot *slot = pprof_spaces_bucket(spaces, tgid);
	const struct pprof_spaces_slot *end = slot + PPROF_SPACES_BUCKET;

	for (; slot < end; slot++)
		if (smp_load_acquire(&slot->tgid) == tgid)	/* with set_slot() */
			return rcu_dereference_sched(slot->space);
	return NULL;
}

#endif
