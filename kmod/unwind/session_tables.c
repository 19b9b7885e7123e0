// SPDX-License-Identifier: GPL-2.0
#include "unwind/session_tables.h"

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

struct shared_table {
	refcount_t refs;	/* one of its number, and one of each range that uses it */
	u64 cost;
	struct pprof_table table;
	u64 data[];
};

/*
 * Readers hold no reference. The memory is freed an RCU grace period after the last put, or goes
 * back to the pool.
 *
 * The bound ranges are those that a hook has added, and that the reader of the rings has not sent
 * yet. Each of them, or the part that is left, is also in process.ranges. So they need no
 * references to tables of their own.
 */
struct shared_ranges {
	refcount_t refs;	/* one of each process that has these ranges */
	union {
		struct rcu_head rcu;
		struct shared_ranges *next_free;	/* in the pool */
	};
	struct pprof_session_tables *session_tables;
	u64 cost;
	bool pooled;
	u32 nr_bound;		/* changed under session_tables->lock */
	struct pprof_process_range *bound;
	struct pprof_process_ranges process;	/* last: it has a flexible array */
};

#define MAX_BOUND	16	/* gcc's cc1 maps 10 files */
#define POOLED_RANGES	32	/* of a process; one with more waits for the reader */

/* Blocks that a hook takes. Each mapping takes one, and gives one back a grace period later. */
#define POOL_PER_CPU	128
#define MAX_POOL	1024

struct pprof_range_pool {
	struct pprof_bound_files files;
	struct shared_ranges *free;
	u8 blocks[] __aligned(8);
};

int pprof_session_tables_init(struct pprof_session_tables *session_tables)
{
	session_tables->slots = kvcalloc(PPROF_SESSION_TABLES_SLOTS, sizeof(*session_tables->slots),
					 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!session_tables->slots)
		return -ENOMEM;
	session_tables->caches =
		alloc_percpu_gfp(struct pprof_rule_cache, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!session_tables->caches) {
		kvfree(session_tables->slots);
		session_tables->slots = NULL;
		return -ENOMEM;
	}
	xa_init_flags(&session_tables->tables, XA_FLAGS_ALLOC1);
	raw_spin_lock_init(&session_tables->lock);
	return 0;
}

/* Walks reach a table through ranges. When the last ranges are freed, no walk uses it. */
static void put_table(struct pprof_session_tables *session_tables, struct shared_table *shared)
{
	if (!refcount_dec_and_test(&shared->refs))
		return;
	atomic64_sub(shared->cost, &session_tables->cost);
	kvfree(shared);
}

static void put_tables(struct pprof_session_tables *session_tables,
		       const struct pprof_process_ranges *process)
{
	const struct pprof_table *table;

	for (u32 i = 0; i < process->nr_ranges; i++) {
		table = process->ranges[i].table;
		if (table)
			put_table(session_tables, container_of(table, struct shared_table, table));
	}
}

static void give_back(struct shared_ranges *shared)
{
	struct pprof_session_tables *session_tables = shared->session_tables;
	unsigned long flags;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	shared->next_free = session_tables->pool->free;
	session_tables->pool->free = shared;
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
}

static void free_ranges(struct shared_ranges *shared)
{
	put_tables(shared->session_tables, &shared->process);
	if (shared->pooled) {
		give_back(shared);
		return;
	}
	atomic64_sub(shared->cost, &shared->session_tables->cost);
	kvfree(shared);
}

static void free_ranges_rcu(struct rcu_head *rcu)
{
	free_ranges(container_of(rcu, struct shared_ranges, rcu));
}

static struct shared_ranges *shared_of(struct pprof_process_ranges *process)
{
	return process ? container_of(process, struct shared_ranges, process) : NULL;
}

/* Context: any. NULL is left alone. */
static void put_ranges(struct pprof_process_ranges *process)
{
	struct shared_ranges *shared = shared_of(process);

	if (shared && refcount_dec_and_test(&shared->refs))
		call_rcu(&shared->rcu, free_ranges_rcu);
}

static void free_file(struct pprof_session_tables *session_tables, struct pprof_bound_file *file)
{
	if (file->table)
		put_table(session_tables, container_of(file->table, struct shared_table, table));
	kfree(file);
}

/* A hook finds a table under the lock, and takes its reference there. */
static void unbind_bucket(struct pprof_session_tables *session_tables, u32 bucket,
			  const struct pprof_table *table)
{
	struct pprof_bound_file *file;
	unsigned long flags;

	do {
		raw_spin_lock_irqsave(&session_tables->lock, flags);
		file = pprof_bound_files_remove(&session_tables->pool->files, bucket, table);
		raw_spin_unlock_irqrestore(&session_tables->lock, flags);
		if (file)
			free_file(session_tables, file);
	} while (file);
}

static void free_pool(struct pprof_session_tables *session_tables)
{
	struct pprof_range_pool *pool = session_tables->pool;
	struct pprof_bound_file *file;
	struct hlist_node *next;

	for (u32 i = 0; pool && i < PPROF_BOUND_FILES_BUCKETS; i++)
		hlist_for_each_entry_safe(file, next, &pool->files.buckets[i], node)
			free_file(session_tables, file);
	kvfree(pool);
	session_tables->pool = NULL;
}

/*
 * rcu_barrier() also waits for ranges that are already on the way to be freed. Their callback is
 * code of the module, and uses @session_tables.
 */
void pprof_session_tables_fini(struct pprof_session_tables *session_tables)
{
	struct shared_table *shared;
	unsigned long number;

	if (!session_tables->slots)
		return;
	for (u32 i = 0; i < PPROF_SESSION_TABLES_SLOTS; i++)
		put_ranges(rcu_dereference_protected(session_tables->slots[i].process, true));
	rcu_barrier();
	free_pool(session_tables);
	xa_for_each(&session_tables->tables, number, shared)
		put_table(session_tables, shared);
	xa_destroy(&session_tables->tables);
	free_percpu(session_tables->caches);
	kvfree(session_tables->slots);
	session_tables->slots = NULL;
}

/* Checks the copy: user space may write to its own memory at any time. */
static int fill_table(struct shared_table *shared, const void __user *from, u32 bytes)
{
	if (copy_from_user(shared->data, from, bytes))
		return -EFAULT;
	return pprof_table_init(&shared->table, shared->data, bytes);
}

/*
 * kvmalloc() is rejected. Where it finds contiguous memory it takes a power of two: up to twice the
 * size.
 */
static void *alloc_shared(size_t bytes)
{
	const gfp_t flags = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	return bytes > PAGE_SIZE ? __vmalloc(bytes, flags) : kmalloc(bytes, flags);
}

int pprof_session_tables_add_table(struct pprof_session_tables *session_tables,
				   const void __user *from, u32 bytes, u32 *number)
{
	struct shared_table *shared;
	int err = -ENOMEM;

	shared = alloc_shared(struct_size(shared, data, DIV_ROUND_UP(bytes, 8)));
	if (!shared)
		goto cost;
	refcount_set(&shared->refs, 1);
	shared->cost = pprof_session_tables_cost(bytes);
	err = fill_table(shared, from, bytes);
	if (err)
		goto free;
	err = xa_alloc(&session_tables->tables, number, shared, XA_LIMIT(1, INT_MAX),
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto free;
	return 0;
free:
	kvfree(shared);
cost:
	pprof_session_tables_uncharge(session_tables, bytes);
	return err;
}

int pprof_session_tables_drop_table(struct pprof_session_tables *session_tables, u32 number)
{
	struct shared_table *shared = xa_erase(&session_tables->tables, number);

	if (!shared)
		return -ENOENT;
	for (u32 i = 0; smp_load_acquire(&session_tables->pool) && i < PPROF_BOUND_FILES_BUCKETS;
	     i++)
		unbind_bucket(session_tables, i, &shared->table);
	put_table(session_tables, shared);
	return 0;
}

/* The lock keeps the table from being freed before the reference is taken. */
static const struct pprof_table *get_table(struct pprof_session_tables *session_tables, u32 number)
{
	struct shared_table *shared;

	xa_lock(&session_tables->tables);
	shared = xa_load(&session_tables->tables, number);
	if (shared)
		refcount_inc(&shared->refs);
	xa_unlock(&session_tables->tables);
	return shared ? &shared->table : NULL;
}

static int append_range(struct pprof_session_tables *session_tables,
			struct pprof_process_ranges *process, const struct pprof_range *range)
{
	const struct pprof_table *table = NULL;
	int err;

	if (range->table) {
		table = get_table(session_tables, range->table);
		if (!table)
			return -ENOENT;
	}
	err = pprof_process_ranges_add(process, range, table);
	if (err && table)
		put_table(session_tables, container_of(table, struct shared_table, table));
	return err;
}

static size_t pooled_bytes(void)
{
	struct shared_ranges *shared;

	return ALIGN(struct_size(shared, process.ranges, POOLED_RANGES + MAX_BOUND), 8);
}

static struct pprof_range_pool *new_pool(struct pprof_session_tables *session_tables)
{
	u32 nr = min_t(u32, POOL_PER_CPU * num_online_cpus(), MAX_POOL);
	struct pprof_range_pool *pool = kvzalloc(sizeof(*pool) + nr * pooled_bytes(),
						 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	struct shared_ranges *shared;

	for (u32 i = 0; pool && i < nr; i++) {
		shared = (void *)(pool->blocks + i * pooled_bytes());
		shared->session_tables = session_tables;
		shared->pooled = true;
		shared->bound = shared->process.ranges + POOLED_RANGES;
		shared->next_free = pool->free;
		pool->free = shared;
	}
	return pool;
}

/* Calls of several threads may each allocate a pool. The first one stays. */
static int need_pool(struct pprof_session_tables *session_tables)
{
	struct pprof_range_pool *pool;

	if (smp_load_acquire(&session_tables->pool))	/* pairs with cmpxchg() below */
		return 0;
	pool = new_pool(session_tables);
	if (!pool)
		return -ENOMEM;
	if (cmpxchg(&session_tables->pool, NULL, pool))
		kvfree(pool);
	return 0;
}

static struct pprof_bound_file *new_file(struct pprof_session_tables *session_tables, u32 number,
					 const struct pprof_file_identity *id)
{
	struct pprof_bound_file *file = kmalloc(sizeof(*file), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!file)
		return ERR_PTR(-ENOMEM);
	file->id = *id;
	file->table = number ? get_table(session_tables, number) : NULL;
	if (!number || file->table)
		return file;
	kfree(file);
	return ERR_PTR(-ENOENT);
}

int pprof_session_tables_bind(struct pprof_session_tables *session_tables, u32 number,
			      const struct pprof_file_identity *id)
{
	int err = need_pool(session_tables);
	struct pprof_bound_file *file, *old;
	unsigned long flags;

	if (err)
		return err;
	file = new_file(session_tables, number, id);
	if (IS_ERR(file))
		return PTR_ERR(file);
	raw_spin_lock_irqsave(&session_tables->lock, flags);
	old = pprof_bound_files_add(&session_tables->pool->files, file);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	if (old)
		free_file(session_tables, old);
	return old == file ? -ENOSPC : 0;
}

static struct shared_ranges *new_ranges(struct pprof_session_tables *session_tables,
					const struct pprof_range *ranges, u32 nr)
{
	struct shared_ranges *shared;
	int err;

	shared = alloc_shared(struct_size(shared, process.ranges, nr));
	if (!shared) {
		pprof_session_tables_uncharge(session_tables, nr * sizeof(*ranges));
		return ERR_PTR(-ENOMEM);
	}
	memset(shared, 0, sizeof(*shared));
	refcount_set(&shared->refs, 1);
	shared->session_tables = session_tables;
	shared->cost = pprof_session_tables_cost(nr * sizeof(*ranges));
	for (u32 i = 0; i < nr; i++) {
		err = append_range(session_tables, &shared->process, &ranges[i]);
		if (err) {
			free_ranges(shared);
			return ERR_PTR(err);
		}
	}
	return shared;
}

/*
 * Returns the slot of @tgid in the bucket of @home, or NULL. A @tgid of 0 finds a free slot.
 * Locks: session_tables->lock is held, as for the next three functions.
 */
static struct pprof_session_tables_slot *find_slot(struct pprof_session_tables *session_tables,
						   u32 home, u32 tgid)
{
	struct pprof_session_tables_slot *slot = pprof_session_tables_bucket(session_tables, home);

	for (u32 i = 0; i < PPROF_SESSION_TABLES_BUCKET; i++)
		if (slot[i].tgid == tgid)
			return &slot[i];
	return NULL;
}

static struct pprof_process_ranges *ranges_of(struct pprof_session_tables *session_tables,
					      const struct pprof_session_tables_slot *slot)
{
	return slot ? rcu_dereference_protected(slot->process,
						lockdep_is_held(&session_tables->lock))
		    : NULL;
}

static bool set_slot(struct pprof_session_tables *session_tables, u32 tgid, u64 exec_id,
		     struct pprof_process_ranges *process)
{
	struct pprof_session_tables_slot *slot = find_slot(session_tables, tgid, tgid);

	if (!slot)
		slot = find_slot(session_tables, tgid, 0);
	if (!slot)
		return false;
	slot->exec_id = exec_id;
	rcu_assign_pointer(slot->process, process);
	smp_store_release(&slot->tgid, tgid);	/* pairs with pprof_session_tables_find() */
	return true;
}

static void clear_slot(struct pprof_session_tables_slot *slot)
{
	if (!slot)
		return;
	WRITE_ONCE(slot->tgid, 0);
	RCU_INIT_POINTER(slot->process, NULL);
}

static struct pprof_range_list list_of(struct shared_ranges *shared)
{
	return (struct pprof_range_list) { shared->process.ranges, shared->process.nr_ranges,
					   shared->process.nr_ranges };
}

/* Each range of the result has a reference to its table. No table is freed meanwhile. */
static void hold_tables(const struct pprof_process_ranges *process)
{
	const struct pprof_table *table;

	for (u32 i = 0; i < process->nr_ranges; i++) {
		table = process->ranges[i].table;
		if (table)
			refcount_inc(&container_of(table, struct shared_table, table)->refs);
	}
}

/*
 * Returns room for the ranges of @sent, for bound ranges that cut them, and for the list of those.
 * It takes over the charge of @sent.
 */
static struct shared_ranges *new_merged(struct shared_ranges *sent)
{
	u32 room = sent->process.nr_ranges + 2 * MAX_BOUND;
	struct shared_ranges *merged;

	merged = alloc_shared(struct_size(merged, process.ranges, room + MAX_BOUND));
	if (!merged)
		return NULL;
	memset(merged, 0, sizeof(*merged));
	refcount_set(&merged->refs, 1);
	merged->session_tables = sent->session_tables;
	merged->cost = sent->cost;
	sent->cost = 0;
	merged->bound = merged->process.ranges + room;
	return merged;
}

/*
 * Fills @merged with the ranges of @sent, and with bound ranges of @old that @sent lacks. The hook
 * saw these mappings later than the reader who sent the ranges.
 */
static void merge(struct shared_ranges *merged, struct shared_ranges *sent,
		  const struct shared_ranges *old, u32 nr_bound)
{
	const struct pprof_range_list all = list_of(sent);
	struct pprof_range_list list = { merged->process.ranges, all.nr, all.nr + 2 * MAX_BOUND };

	memcpy(list.ranges, all.ranges, all.nr * sizeof(*all.ranges));
	merged->process.exec_pages = sent->process.exec_pages;
	merged->process.context = sent->process.context;
	merged->nr_bound = 0;
	for (u32 i = 0; i < nr_bound; i++) {
		if (pprof_range_list_has(&all, &old->bound[i]))
			continue;
		pprof_range_list_cut(&list, &old->bound[i], true);
		merged->bound[merged->nr_bound++] = old->bound[i];
	}
	pprof_process_ranges_set_nr(&merged->process, list.nr);
	hold_tables(&merged->process);
}

/* The state of a slot, and the process that it is for. */
struct slot_state {
	u32 tgid;
	u64 exec_id;
	struct pprof_process_ranges *process;
	bool is_current;	/* the ranges are of this exec id */
	u32 nr_bound;		/* 0 also if they are not */
};

/* Locks: session_tables->lock is held. */
static void read_slot(struct pprof_session_tables *session_tables, struct slot_state *state)
{
	const struct pprof_session_tables_slot *slot =
		find_slot(session_tables, state->tgid, state->tgid);

	state->process = ranges_of(session_tables, slot);
	state->is_current = state->process && slot->exec_id == state->exec_id;
	state->nr_bound = 0;
	if (state->is_current)
		state->nr_bound = shared_of(state->process)->nr_bound;
}

static void read_state(struct pprof_session_tables *session_tables, struct slot_state *state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	read_slot(session_tables, state);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
}

/*
 * Puts @shared into the slot if nothing has changed since @seen, or if it has to be @now.
 * Returns: 0, -EAGAIN, or -ENOSPC.
 */
static int publish(struct pprof_session_tables *session_tables, const struct slot_state *seen,
		   struct shared_ranges *shared, bool now)
{
	struct slot_state state = *seen;
	unsigned long flags;
	int err = -EAGAIN;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	read_slot(session_tables, &state);
	if (now || (state.process == seen->process && state.nr_bound == seen->nr_bound)) {
		shared->process.epoch = ++session_tables->last_epoch;
		err = set_slot(session_tables, seen->tgid, seen->exec_id, &shared->process) ?
			      0 : -ENOSPC;
	}
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	if (!err)
		put_ranges(state.process);
	return err;
}

/*
 * A process that maps all the time cannot keep the reader from setting its ranges: at the last try
 * the newest bound range may be lost. The reader sends it later.
 */
#define MERGE_TRIES	8

/* The RCU read section keeps the ranges that are merged, and their address from being used again. */
static int merge_and_publish(struct pprof_session_tables *session_tables, struct slot_state *state,
			     struct shared_ranges *sent, struct shared_ranges *merged)
{
	int err = -EAGAIN;

	for (int left = MERGE_TRIES; err == -EAGAIN; left--) {
		put_tables(session_tables, &merged->process);
		merged->process.nr_ranges = 0;
		rcu_read_lock();
		read_state(session_tables, state);
		merge(merged, sent, shared_of(state->process), state->nr_bound);
		err = publish(session_tables, state, merged, left == 1);
		rcu_read_unlock();
	}
	return err;
}

int pprof_session_tables_set(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			     const struct pprof_range *ranges, u32 nr, u64 exec_pages,
			     const struct pprof_tls_address *context)
{
	struct shared_ranges *sent = new_ranges(session_tables, ranges, nr), *merged;
	struct slot_state state = { .tgid = tgid, .exec_id = exec_id };
	int err = -ENOMEM;

	if (IS_ERR(sent))
		return PTR_ERR(sent);
	sent->process.exec_pages = exec_pages;
	sent->process.context = *context;
	merged = new_merged(sent);
	if (merged)
		err = merge_and_publish(session_tables, &state, sent, merged);
	if (merged && err)
		free_ranges(merged);
	free_ranges(sent);
	return err;
}

/* Locks: session_tables->lock is held, as for the functions below. */
static struct shared_ranges *take_block(struct pprof_range_pool *pool)
{
	struct shared_ranges *block = pool->free;

	if (!block)
		return NULL;
	pool->free = block->next_free;
	refcount_set(&block->refs, 1);
	memset(&block->process, 0, sizeof(block->process));
	block->nr_bound = 0;
	return block;
}

static void return_block(struct pprof_range_pool *pool, struct shared_ranges *block)
{
	block->next_free = pool->free;
	pool->free = block;
}

static void copy_ranges(struct shared_ranges *to, const struct shared_ranges *from)
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
 * Fills @block with the ranges of @old, if there are any, and cuts @range out of them. @add puts it
 * in.
 * Returns: false if there is no room.
 */
static bool fill_block(struct shared_ranges *block, const struct shared_ranges *old,
		       const struct pprof_process_range *range, bool add)
{
	struct pprof_range_list list = { block->process.ranges, 0, POOLED_RANGES };
	struct pprof_range_list bound = { block->bound, 0, MAX_BOUND };
	u64 bytes;

	if (old)
		copy_ranges(block, old);
	list.nr = block->process.nr_ranges;
	bound.nr = block->nr_bound;
	bytes = pprof_range_list_bytes(&list);
	if (!pprof_range_list_cut(&list, range, add) || !pprof_range_list_cut(&bound, range, add))
		return false;
	block->process.exec_pages += ((s64)(pprof_range_list_bytes(&list) - bytes)) >> PAGE_SHIFT;
	block->nr_bound = bound.nr;
	pprof_process_ranges_set_nr(&block->process, list.nr);
	return true;
}

static bool overlaps(const struct shared_ranges *shared, const struct pprof_process_range *range)
{
	const struct pprof_process_range *at = shared->process.ranges;

	for (u32 i = 0; i < shared->process.nr_ranges; i++)
		if (at[i].start < range->end && range->start < at[i].end)
			return true;
	return false;
}

/* Anonymous memory has no @id. Returns: false if the file is not known. */
static bool find_bound(const struct pprof_range_pool *pool, const struct pprof_file_identity *id,
		       const struct pprof_table **table)
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

/* Are the ranges of @old right for a process that has mapped @range? NULL: it has no ranges. */
static bool is_up_to_date(struct shared_ranges *old, const struct pprof_process_range *range,
			  bool known)
{
	struct pprof_range_list list;

	if (!old)
		return !known;
	list = list_of(old);
	return known ? pprof_range_list_has(&list, range) : !overlaps(old, range);
}

static bool fits_block(const struct shared_ranges *old)
{
	return !old || old->process.nr_ranges <= POOLED_RANGES;
}

/*
 * Returns ranges that replace those of @old, or NULL: no block is free, or it has no room. Then the
 * bound ranges of @old may be outdated from now on. What the reader sends counts.
 */
static struct shared_ranges *replace_ranges(struct pprof_range_pool *pool,
					    struct shared_ranges *old,
					    const struct pprof_process_range *range, bool known)
{
	struct shared_ranges *block = fits_block(old) ? take_block(pool) : NULL;

	if (block && fill_block(block, old, range, known)) {
		hold_tables(&block->process);
		return block;
	}
	if (block)
		return_block(pool, block);
	if (old)
		old->nr_bound = 0;
	return NULL;
}

/* Returns the ranges that were replaced, or NULL. The caller puts them, without the lock. */
static struct pprof_process_ranges *map_locked(struct pprof_session_tables *session_tables,
					       const struct slot_state *state,
					       struct pprof_process_range *range,
					       const struct pprof_file_identity *id)
{
	struct shared_ranges *old = state->is_current ? shared_of(state->process) : NULL;
	bool known = find_bound(session_tables->pool, id, &range->table);
	bool is_special = id && !id->dev;
	struct shared_ranges *block;

	if (is_special ? !old : fits_block(old) && is_up_to_date(old, range, known))
		return NULL;
	block = replace_ranges(session_tables->pool, old, range, known);
	if (!block)
		return NULL;
	if (is_special)
		block->process.exec_pages += (range->end - range->start) >> PAGE_SHIFT;
	block->process.epoch = ++session_tables->last_epoch;
	if (set_slot(session_tables, state->tgid, state->exec_id, &block->process))
		return state->process;
	return &block->process;
}

void pprof_session_tables_map(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			      const struct pprof_process_range *range,
			      const struct pprof_file_identity *id)
{
	struct slot_state state = { .tgid = tgid, .exec_id = exec_id };
	struct pprof_process_range mapped = *range;
	struct pprof_process_ranges *old;

	if (!smp_load_acquire(&session_tables->pool))	/* pairs with need_pool() */
		return;
	raw_spin_lock(&session_tables->lock);
	read_slot(session_tables, &state);
	old = map_locked(session_tables, &state, &mapped, id);
	raw_spin_unlock(&session_tables->lock);
	put_ranges(old);
}

void pprof_session_tables_fork(struct pprof_session_tables *session_tables, pid_t parent,
			       pid_t child, u64 exec_id)
{
	struct pprof_session_tables_slot *slot;
	struct pprof_process_ranges *old, *process;
	unsigned long flags;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	slot = find_slot(session_tables, child, child);
	old = ranges_of(session_tables, slot);
	clear_slot(slot);
	slot = find_slot(session_tables, parent, parent);
	process = ranges_of(session_tables, slot);
	if (process && set_slot(session_tables, child, exec_id, process))
		refcount_inc(&shared_of(process)->refs);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	put_ranges(old);
}

void pprof_session_tables_drop(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id)
{
	struct pprof_process_ranges *old = NULL;
	struct pprof_session_tables_slot *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	slot = find_slot(session_tables, tgid, tgid);
	if (slot && slot->exec_id != exec_id) {
		old = ranges_of(session_tables, slot);
		clear_slot(slot);
	}
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	put_ranges(old);
}
