/* SPDX-License-Identifier: GPL-2.0 */
/* An unwind table that a session, files and ranges of processes share. */
#ifndef PPROF_SHARED_TABLE_H
#define PPROF_SHARED_TABLE_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/refcount.h>

#include "unwind/process_ranges.h"
#include "unwind/table.h"

struct pprof_shared_table {
	/* One of its number, and one of each file and each range that has it */
	refcount_t refs;
	u64 cost;		/* what the session was charged for it */
	struct pprof_table table;
	u64 data[];
};

/*
 * Returns memory of @bytes, not zeroed, or NULL. kvfree() frees it.
 * Sleeps.
 */
void *pprof_shared_alloc(size_t bytes);

/*
 * Copies and checks a table of @bytes. The result has one reference.
 * Returns: the table, or an ERR_PTR: -EFAULT, -EINVAL or -ENOMEM.
 * Sleeps.
 */
struct pprof_shared_table *pprof_shared_table_new(const void __user *from, u32 bytes);

/*
 * Drops a reference. The last one takes the cost of the table from *@cost, and frees it.
 * Context: any, if it is not the last reference; else as kvfree().
 */
void pprof_shared_table_put(struct pprof_shared_table *shared, atomic64_t *cost);

/*
 * Take or drop a reference of each range to its table. While they are taken, something else keeps
 * the tables.
 * Context: any; as pprof_shared_table_put().
 */
void pprof_shared_tables_hold(const struct pprof_process_ranges *process);
void pprof_shared_tables_put(const struct pprof_process_ranges *process, atomic64_t *cost);

static inline struct pprof_shared_table *pprof_shared_table(const struct pprof_table *table)
{
	return container_of(table, struct pprof_shared_table, table);
}

#endif
