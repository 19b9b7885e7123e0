/* SPDX-License-Identifier: GPL-2.0 */
/* The unwind tables of a session, and the ranges of its processes. */
#ifndef PPROF_SESSION_TABLES_H
#define PPROF_SESSION_TABLES_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "unwind/known_stack.h"
#include "unwind/rule_cache.h"
#include "unwind/process_ranges.h"
#include "unwind/range_pool.h"

#define PPROF_SESSION_TABLES_SLOTS	8192U	/* a power of two */
#define PPROF_SESSION_TABLES_BUCKET	16U

struct pprof_session_tables_slot {
	u32 tgid;	/* in the initial namespace; 0: free */
	struct pprof_process_ranges __rcu *process;
	u64 exec_id;	/* for which the ranges were set */
};

/*
 * The ranges of each process, in a table of fixed size. No memory can be allocated where a process
 * forks. The slot of a process is in the bucket of its tgid. The kernel gives tgids in sequence,
 * which fills the buckets evenly.
 *
 * The key is the tgid and not the mm. Process events have the tgid, and an exec keeps it. A child
 * of vfork() shares the mm of its parent, but has its own tgid. See "Slot tables" in doc/design.md.
 */
struct pprof_session_tables {
	struct pprof_session_tables_slot *slots;
	struct pprof_rule_cache __percpu *caches;
	struct pprof_known_stacks __percpu *known;
	struct xarray tables;	/* by number */
	atomic64_t cost;	/* bytes charged for all tables and ranges */
	/* Allocated when the first file is bound, and kept; NULL: no file was bound yet */
	struct pprof_range_pool *pool;
	raw_spinlock_t lock;	/* guards writes to slots, last_epoch, and the pool; irq-safe */
	u64 last_epoch;
};

/* Returns the bytes that are charged for @bytes of a table, or of the ranges of a process. */
static inline u64 pprof_session_tables_cost(u64 bytes)
{
	return bytes + 256;
}

/*
 * Gives back the charge for @bytes.
 * Context: any.
 */
static inline void pprof_session_tables_uncharge(struct pprof_session_tables *session_tables,
						 u64 bytes)
{
	atomic64_sub(pprof_session_tables_cost(bytes), &session_tables->cost);
}

/*
 * Returns: 0, or -ENOMEM: as if never called.
 * Sleeps.
 */
int pprof_session_tables_init(struct pprof_session_tables *session_tables);

/*
 * Frees all. No reader and no caller may be left, so no lock is taken. A zeroed struct is left
 * alone.
 * Sleeps.
 */
void pprof_session_tables_fini(struct pprof_session_tables *session_tables);

/*
 * Copies and checks a table of @bytes, and returns its number in *number. The caller has checked
 * the size, and has charged its cost. The table owns that charge. An error gives it back.
 * Locks: takes the lock of the xarray, but not while it reads user memory.
 * Returns: 0, -EFAULT, -EINVAL or -ENOMEM.
 * Sleeps.
 */
int pprof_session_tables_add_table(struct pprof_session_tables *session_tables,
				   const void __user *from, u32 bytes, u32 *number);

/*
 * Frees the number of a table. Ranges that use it keep the table.
 * Locks: takes the lock of the xarray.
 * Returns: 0, or -ENOENT.
 * Sleeps.
 */
int pprof_session_tables_drop_table(struct pprof_session_tables *session_tables, u32 number);

/*
 * From now on a mapping of the file with the identity @id gets the table @number at once, by
 * pprof_session_tables_map(). 0: it gets a range without a table.
 * Locks: takes the lock of the xarray, then session_tables->lock.
 * Returns: 0, -ENOENT: no such table, or -ENOMEM.
 * Sleeps.
 */
int pprof_session_tables_bind(struct pprof_session_tables *session_tables, u32 number,
			      const struct pprof_file_identity *id);

/*
 * Current, the process @tgid with the exec id @exec_id, has mapped the executable memory @range.
 * The table in @range is not used. @id is of its file, or zeroed if the memory is special; NULL:
 * anonymous memory, which has no table. @is_counted: the kernel counts its pages in exec_vm, as
 * the memory is not writable.
 *
 * If the session knows the file, the process has the range from now on. If it does not, earlier
 * ranges of these addresses are removed: the reader will send new ones. Special memory that is not
 * bound only counts as pages that are known. Nothing changes before a file was bound, if the pool
 * is empty, or if the process has too many ranges.
 * Locks: takes session_tables->lock.
 * Context: interrupts off.
 */
void pprof_session_tables_map(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			      const struct pprof_process_range *range,
			      const struct pprof_file_identity *id, bool is_counted);

/*
 * Replaces all ranges of the process @tgid with the exec id @exec_id. It has @exec_pages pages of
 * executable memory. @context is valid. The caller has charged the cost of @ranges, as for a
 * table.
 *
 * The caller may not know yet of mappings that pprof_session_tables_map() has seen. Their ranges
 * stay, until they are in @ranges.
 * Locks: takes the lock of the xarray for each table, then session_tables->lock.
 * Returns: 0, -EINVAL, -ENOENT: no such table, -ENOMEM, -ENOSPC: no free slot, or -ESRCH: there are
 * ranges of a later exec id.
 * Sleeps.
 */
int pprof_session_tables_set(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			     const struct pprof_range *ranges, u32 nr, u64 exec_pages,
			     const struct pprof_tls_address *context);

/*
 * Gives @child, with the exec id @exec_id, the ranges of @parent. Without a free slot the child has
 * none, and its samples have the end reason PPROF_END_NO_RANGES.
 * Locks: takes session_tables->lock.
 * Context: any but NMI.
 */
void pprof_session_tables_fork(struct pprof_session_tables *session_tables, pid_t parent,
			       pid_t child, u64 exec_id);

/*
 * Drops the ranges of @tgid that are for an exec id before @exec_id; 0: for any. An exec maps
 * memory before its hook is called. So the ranges of the new program may be there already. Exec ids
 * rise.
 * Locks: takes session_tables->lock.
 * Context: any but NMI.
 */
void pprof_session_tables_drop(struct pprof_session_tables *session_tables, pid_t tgid,
			       u64 exec_id);

/* Returns the first slot of the bucket of @tgid. */
static inline struct pprof_session_tables_slot *
pprof_session_tables_bucket(const struct pprof_session_tables *session_tables, u32 tgid)
{
	u32 bucket = tgid % (PPROF_SESSION_TABLES_SLOTS / PPROF_SESSION_TABLES_BUCKET);

	return &session_tables->slots[bucket * PPROF_SESSION_TABLES_BUCKET];
}

/*
 * Returns the ranges of @tgid, or NULL. They are valid until interrupts are on again.
 * Context: interrupts off.
 */
static inline const struct pprof_process_ranges *
pprof_session_tables_find(const struct pprof_session_tables *session_tables, u32 tgid)
{
	const struct pprof_session_tables_slot *slot =
		pprof_session_tables_bucket(session_tables, tgid);
	const struct pprof_session_tables_slot *end = slot + PPROF_SESSION_TABLES_BUCKET;

	for (; slot < end; slot++)
		if (smp_load_acquire(&slot->tgid) == tgid)	/* pairs with set_slot() */
			return rcu_dereference_sched(slot->process);
	return NULL;
}

#endif
