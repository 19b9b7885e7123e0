/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ranges of processes that share them, and a pool of such ranges. A hook cannot allocate: to
 * add a range it takes a block of the pool, and fills it with a copy.
 */
#ifndef PPROF_RANGE_POOL_H
#define PPROF_RANGE_POOL_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "unwind/bound_files.h"
#include "unwind/process_ranges.h"

struct pprof_session_tables;

/*
 * Readers hold no reference. The memory is freed an RCU grace period after the last put, or goes
 * back to the pool.
 *
 * The bound ranges are those that a hook has added, and that the reader of the rings has not sent
 * yet. Each of them, or the part that is left, is also in process.ranges. So they need no
 * references to tables of their own.
 */
struct pprof_shared_ranges {
	refcount_t refs;	/* one of each process that has these ranges */
	union {
		struct rcu_head rcu;
		struct pprof_shared_ranges *next_free;	/* in the pool */
	};
	struct pprof_session_tables *session_tables;
	u64 cost;
	bool pooled;
	u32 nr_bound;		/* changed under the lock of the pool */
	struct pprof_process_range *bound;
	struct pprof_process_ranges process;	/* last: it has a flexible array */
};

#define PPROF_MAX_BOUND		16	/* gcc's cc1 maps 10 files */
#define PPROF_POOLED_RANGES	32	/* of a process; one with more waits for the reader */

/* The caller has one lock for all functions. */
struct pprof_range_pool {
	struct pprof_bound_files files;
	struct pprof_shared_ranges *free;
	u8 blocks[] __aligned(8);
};

/*
 * Makes a pool of @session_tables. kvfree() frees it.
 * Returns: the pool, or NULL without memory.
 * Sleeps.
 */
struct pprof_range_pool *pprof_range_pool_new(struct pprof_session_tables *session_tables);

/*
 * Puts a block back that no process uses.
 * Context: any, under the caller's lock.
 */
void pprof_range_pool_put(struct pprof_range_pool *pool, struct pprof_shared_ranges *block);

/*
 * Finds the table of the file with the identity @id. NULL: anonymous memory, which has none.
 * Returns: false if the file is not known.
 * Context: any, under the caller's lock.
 */
bool pprof_range_pool_find(const struct pprof_range_pool *pool,
			   const struct pprof_file_identity *id, const struct pprof_table **table);

/*
 * Are the ranges of @old right for a process that has mapped @range? @known: its file is known.
 * NULL: the process has no ranges. Of a process with many ranges it returns false.
 * Context: any, under the caller's lock.
 */
bool pprof_range_pool_is_current(struct pprof_shared_ranges *old,
				 const struct pprof_process_range *range, bool known);

/*
 * Takes a block with the ranges of @old, which may be NULL. @range is cut out of them, and if
 * @known, it is put in. The caller takes the references to the tables, and sets the epoch.
 * Returns: the block, or NULL: none is free, or it has no room. Then the bound ranges of @old may
 * be outdated from now on. So they end. What the reader sends counts.
 * Context: any, under the caller's lock. Copies at most one block.
 */
struct pprof_shared_ranges *pprof_range_pool_replace(struct pprof_range_pool *pool,
						     struct pprof_shared_ranges *old,
						     const struct pprof_process_range *range,
						     bool known);

/* Returns the ranges of @process, which is part of them, or NULL for NULL. */
static inline struct pprof_shared_ranges *pprof_shared_ranges(struct pprof_process_ranges *process)
{
	return process ? container_of(process, struct pprof_shared_ranges, process) : NULL;
}

/* Returns the list of ranges in @shared. It cannot grow. */
static inline struct pprof_range_list pprof_shared_ranges_list(struct pprof_shared_ranges *shared)
{
	return (struct pprof_range_list) { shared->process.ranges, shared->process.nr_ranges,
					   shared->process.nr_ranges };
}

#endif
