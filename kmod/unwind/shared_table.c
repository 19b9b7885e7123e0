// SPDX-License-Identifier: GPL-2.0
#include "unwind/shared_table.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/*
 * kvmalloc() is rejected: if it finds contiguous memory, it takes a power of two, which is up to
 * twice the size.
 */
void *pprof_shared_alloc(size_t bytes)
{
	const gfp_t flags = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	return bytes > PAGE_SIZE ? __vmalloc(bytes, flags) : kmalloc(bytes, flags);
}

/* Checks the copy, and not the original: user space may write to its own memory at any time. */
static int fill(struct pprof_shared_table *shared, const void __user *from, u32 bytes)
{
	if (copy_from_user(shared->data, from, bytes))
		return -EFAULT;
	return pprof_table_init(&shared->table, shared->data, bytes);
}

struct pprof_shared_table *pprof_shared_table_new(const void __user *from, u32 bytes)
{
	struct pprof_shared_table *shared;
	int err;

	shared = pprof_shared_alloc(struct_size(shared, data, DIV_ROUND_UP(bytes, 8)));
	if (!shared)
		return ERR_PTR(-ENOMEM);
	refcount_set(&shared->refs, 1);
	shared->is_dropped = false;
	err = fill(shared, from, bytes);
	if (!err)
		return shared;
	kvfree(shared);
	return ERR_PTR(err);
}

/* A stack walk reaches a table only through ranges. No walk uses a table whose ranges are freed. */
void pprof_shared_table_put(struct pprof_shared_table *shared, atomic64_t *cost)
{
	if (!refcount_dec_and_test(&shared->refs))
		return;
	atomic64_sub(shared->cost, cost);
	kvfree(shared);
}

void pprof_shared_tables_hold(const struct pprof_process_ranges *process)
{
	for (u32 i = 0; i < process->nr_ranges; i++)
		if (process->ranges[i].table)
			refcount_inc(&pprof_shared_table(process->ranges[i].table)->refs);
}

void pprof_shared_tables_put(const struct pprof_process_ranges *process, atomic64_t *cost)
{
	for (u32 i = 0; i < process->nr_ranges; i++)
		if (process->ranges[i].table)
			pprof_shared_table_put(pprof_shared_table(process->ranges[i].table), cost);
}
