/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An unwind table with a reference count. The session, its files and ranges of processes share it.
 */
#ifndef PPROF_SHARED_TABLE_H
#define PPROF_SHARED_TABLE_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/refcount.h>

#include "unwind/process_ranges.h"
#include "unwind/table.h"

struct pprof_shared_table {
	/* One for its table id in the session, and one for each file and each range that has it. */
	refcount_t refs;
	u64 cost;		/* bytes that the session was charged for it */
	/* It has no number any more. Written once; read without a lock. */
	bool is_dropped;
	struct pprof_table table;	/* points into data */
	u64 data[];		/* the copy of the table that user space has passed */
};

/*
 * Allocates @bytes, which are not zeroed, and are charged to the memory cgroup of current. kvfree()
 * frees them.
 * Returns: the memory, or NULL.
 * Sleeps.
 */
void *pprof_shared_alloc(size_t bytes);

/*
 * Copies a table of @bytes from user space, and checks the copy. The caller sets the cost.
 * Returns: the table with one reference, or an ERR_PTR: -EFAULT, -EINVAL or -ENOMEM.
 * Sleeps.
 */
struct pprof_shared_table *pprof_shared_table_new(const void __user *from, u32 bytes);

/*
 * Drops a reference. With the last one, the cost of the table is subtracted from *@cost, which has
 * what the session is charged, and the table is freed.
 * Context: any, if it is not the last reference; else as for kvfree().
 */
void pprof_shared_table_put(struct pprof_shared_table *shared, atomic64_t *cost);

/*
 * Takes or drops a reference to the table of each range of @process. While references are taken,
 * the caller must have others to the same tables, or the lock that keeps them.
 * Context: any for _hold(); as pprof_shared_table_put() for _put().
 */
void pprof_shared_tables_hold(const struct pprof_process_ranges *process);
void pprof_shared_tables_put(const struct pprof_process_ranges *process, atomic64_t *cost);

/* Returns the struct that contains @table. Each table of a range or a file is in one. */
static inline struct pprof_shared_table *pprof_shared_table(const struct pprof_table *table)
{
	return container_of(table, struct pprof_shared_table, table);
}

#endif
