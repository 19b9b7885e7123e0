// SPDX-License-Identifier: GPL-2.0
#include "unwind/range_pool.h"

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

/* A mapping takes a block, and puts the replaced one back an RCU grace period later. */
#define BLOCKS_PER_CPU	128
#define MAX_BLOCKS	1024

static size_t block_bytes(void)
{
	struct pprof_shared_ranges *block;

	return ALIGN(struct_size(block, process.ranges, PPROF_POOLED_RANGES + PPROF_MAX_BOUND), 8);
}

struct pprof_range_pool *pprof_range_pool_new(struct pprof_session_tables *session_tables)
{
	u32 nr = min_t(u32, BLOCKS_PER_CPU * num_online_cpus(), MAX_BLOCKS);
	struct pprof_range_pool *pool = kvzalloc(sizeof(*pool) + nr * block_bytes(),
						 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	struct pprof_shared_ranges *block;

	for (u32 i = 0; pool && i < nr; i++) {
		block = (void *)(pool->blocks + i * block_bytes());
		block->session_tables = session_tables;
		block->pooled = true;
		block->bound = block->process.ranges + PPROF_POOLED_RANGES;
		pprof_range_pool_put(pool, block);
	}
	return pool;
}

void pprof_range_pool_put(struct pprof_range_pool *pool, struct pprof_shared_ranges *block)
{
	block->next_free = pool->free;
	pool->free = block;
}

static struct pprof_shared_ranges *take(struct pprof_range_pool *pool)
{
	struct pprof_shared_ranges *block = pool->free;

	if (!block)
		return NULL;
	pool->free = block->next_free;
	refcount_set(&block->refs, 1);
	memset(&block->process, 0, sizeof(block->process));
	block->nr_bound = 0;
	return block;
}

bool pprof_range_pool_find(const struct pprof_range_pool *pool,
			   const struct pprof_file_identity *id, const struct pprof_table **table)
{
	const struct pprof_bound_file *file;

	*table = NULL;
	if (!id)
		return true;
	file = pprof_bound_files_find(&pool->files, id);
	if (file)
		*table = file->table;
	return file;
}

static bool fits(const struct pprof_shared_ranges *old)
{
	return !old || old->process.nr_ranges <= PPROF_POOLED_RANGES;
}

static bool overlaps(const struct pprof_shared_ranges *shared,
		     const struct pprof_process_range *range)
{
	const struct pprof_process_range *at = shared->process.ranges;

	for (u32 i = 0; i < shared->process.nr_ranges; i++)
		if (at[i].start < range->end && range->start < at[i].end)
			return true;
	return false;
}

bool pprof_range_pool_is_current(struct pprof_shared_ranges *old,
				 const struct pprof_process_range *range, bool known)
{
	struct pprof_range_list list;

	if (!old)
		return !known;
	if (!fits(old))
		return false;
	list = pprof_shared_ranges_list(old);
	return known ? pprof_range_list_has(&list, range) : !overlaps(old, range);
}

static void copy(struct pprof_shared_ranges *to, const struct pprof_shared_ranges *from)
{
	const struct pprof_process_ranges *process = &from->process;

	memcpy(to->process.ranges, process->ranges, process->nr_ranges * sizeof(*process->ranges));
	memcpy(to->bound, from->bound, from->nr_bound * sizeof(*from->bound));
	to->process.nr_ranges = process->nr_ranges;
	to->process.exec_pages = process->exec_pages;
	to->process.context = process->context;
	to->nr_bound = from->nr_bound;
}

/*
 * Cuts @range out of both lists of @block, and puts it in there if @add is set. Without @is_counted
 * the addresses that it takes are seen as not counted either: code of a JIT compiler grows so.
 * Returns: false if there is no room. Then @block may be changed.
 */
static bool cut(struct pprof_shared_ranges *block, const struct pprof_process_range *range,
		bool add, bool is_counted)
{
	struct pprof_range_list list = { block->process.ranges, block->process.nr_ranges,
					 PPROF_POOLED_RANGES };
	struct pprof_range_list bound = { block->bound, block->nr_bound, PPROF_MAX_BOUND };
	u64 bytes = pprof_range_list_bytes(&list);

	if (!pprof_range_list_cut(&list, range, add) || !pprof_range_list_cut(&bound, range, add))
		return false;
	bytes = pprof_range_list_bytes(&list) - bytes;
	if (is_counted || !add)
		block->process.exec_pages += (s64)bytes >> PAGE_SHIFT;
	block->nr_bound = bound.nr;
	pprof_process_ranges_set_nr(&block->process, list.nr);
	return true;
}

struct pprof_shared_ranges *pprof_range_pool_replace(struct pprof_range_pool *pool,
						     struct pprof_shared_ranges *old,
						     const struct pprof_process_range *range,
						     bool known, bool is_counted)
{
	struct pprof_shared_ranges *block = fits(old) ? take(pool) : NULL;

	if (block && old)
		copy(block, old);
	if (block && cut(block, range, known, is_counted))
		return block;
	if (block)
		pprof_range_pool_put(pool, block);
	if (old)
		old->nr_bound = 0;
	return NULL;
}
