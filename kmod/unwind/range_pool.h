/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ranges of a process, which its children share after a fork, and a pool of blocks for them. A
 * hook cannot allocate. To add a range, it takes a block of the pool, and fills it with a changed
 * copy of the process's ranges.
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
 * Lifetime: RCU readers hold no reference. An RCU grace period after the last put, the memory is
 * freed, or goes back to the pool.
 *
 * The bound ranges are those that a hook has added, until the collector sets them itself. Each one
 * is also in process.ranges, without the parts that later mappings have replaced. process.ranges
 * holds the references to the tables, and the bound ranges hold none.
 */
struct pprof_shared_ranges {
	refcount_t refs;	/* one for each process that has these ranges */
	union {
		struct rcu_head rcu;
		struct pprof_shared_ranges *next_free;	/* in the pool */
	};
	struct pprof_session_tables *session_tables;
	u64 cost;		/* bytes that the session was charged; 0 for a block of the pool */
	bool pooled;
	u32 nr_bound;		/* changed under the lock of the pool */
	struct pprof_process_range *bound;	/* behind process.ranges, in the same memory */
	struct pprof_process_ranges process;	/* last: it has a flexible array */
};

/*
 * Limit of bound ranges of a process. gcc's cc1 maps 10 files, clang 20, and curl 34. All of them
 * may be mapped before the collector runs.
 */
#define PPROF_MAX_BOUND		40
/*
 * Room of a block. A process with more ranges has none added by the hook: the collector sets them.
 */
#define PPROF_POOLED_RANGES	48

/* Blocks of one size, and the files for the hook. The caller has one lock for all functions. */
struct pprof_range_pool {
	struct pprof_bound_files files;
	struct pprof_shared_ranges *free;
	u8 blocks[] __aligned(8);
};

/*
 * Makes the pool of @session_tables, with blocks for the CPUs that are online. kvfree() frees it,
 * after all blocks were put back. It is charged to the memory cgroup of current.
 * Returns: the pool, or NULL if memory is short.
 * Sleeps.
 */
struct pprof_range_pool *pprof_range_pool_new(struct pprof_session_tables *session_tables);

/*
 * Puts a block back into the pool. No process and no RCU reader uses it any more.
 * Context: any, under the caller's lock.
 */
void pprof_range_pool_put(struct pprof_range_pool *pool, struct pprof_shared_ranges *block);

/*
 * Sets *@table to the table of the file with the identity @id, or to NULL if it has none. @id is
 * NULL for anonymous memory, which has none. No reference is taken.
 * Returns: false if the file is not known.
 * Context: any, under the caller's lock.
 */
bool pprof_range_pool_find(const struct pprof_range_pool *pool,
			   const struct pprof_file_identity *id, const struct pprof_table **table);

/*
 * A process has mapped @range. Are its ranges @old still correct? @old is NULL if the process has
 * no ranges. @known: the file of @range is known, see pprof_range_pool_find().
 * Returns: false also for a process with more ranges than PPROF_POOLED_RANGES: they are not read.
 * Context: any, under the caller's lock. Reads at most PPROF_POOLED_RANGES ranges.
 */
bool pprof_range_pool_is_current(struct pprof_shared_ranges *old,
				 const struct pprof_process_range *range, bool known);

/*
 * Takes a block, and fills it with the ranges of @old, which may be NULL. The addresses of @range
 * are cut out of them. If @known is set, @range is put in there. @is_counted: the kernel counts its
 * pages in exec_vm. The caller takes the references to the tables, and sets the epoch.
 *
 * Returns: the block with one reference; or NULL if none is free, or the ranges do not fit. Then
 * the bound ranges of @old are forgotten, as they may be outdated from now on: the ranges that the
 * collector sets replace them.
 * Context: any, under the caller's lock. Copies at most one block.
 */
struct pprof_shared_ranges *pprof_range_pool_replace(struct pprof_range_pool *pool,
						     struct pprof_shared_ranges *old,
						     const struct pprof_process_range *range,
						     bool known, bool is_counted);

/* Returns the struct that contains @process, or NULL if that is NULL. */
static inline struct pprof_shared_ranges *pprof_shared_ranges(struct pprof_process_ranges *process)
{
	return process ? container_of(process, struct pprof_shared_ranges, process) : NULL;
}

/* Returns process.ranges as a list without further room. It borrows the ranges. */
static inline struct pprof_range_list pprof_shared_ranges_list(struct pprof_shared_ranges *shared)
{
	return (struct pprof_range_list) { shared->process.ranges, shared->process.nr_ranges,
					   shared->process.nr_ranges };
}

#endif
