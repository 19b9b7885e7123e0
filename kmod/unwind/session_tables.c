// SPDX-License-Identifier: GPL-2.0
#include "unwind/session_tables.h"

#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#include "unwind/shared_table.h"

/* alloc_percpu() refuses more. */
static_assert(sizeof(struct pprof_known_stacks) <= PCPU_MIN_UNIT_SIZE);

static void free_caches(struct pprof_session_tables *session_tables)
{
	free_percpu(session_tables->known);
	free_percpu(session_tables->caches);
	kvfree(session_tables->slots);
	session_tables->slots = NULL;
}

int pprof_session_tables_init(struct pprof_session_tables *session_tables)
{
	session_tables->slots = kvcalloc(PPROF_SESSION_TABLES_SLOTS, sizeof(*session_tables->slots),
					 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!session_tables->slots)
		return -ENOMEM;
	session_tables->caches =
		alloc_percpu_gfp(struct pprof_rule_cache, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	session_tables->known =
		alloc_percpu_gfp(struct pprof_known_stacks, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!session_tables->caches || !session_tables->known) {
		free_caches(session_tables);
		return -ENOMEM;
	}
	xa_init_flags(&session_tables->tables, XA_FLAGS_ALLOC1);
	raw_spin_lock_init(&session_tables->lock);
	return 0;
}

static void give_back(struct pprof_shared_ranges *shared)
{
	struct pprof_session_tables *session_tables = shared->session_tables;
	unsigned long flags;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	pprof_range_pool_put(session_tables->pool, shared);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
}

static void free_ranges(struct pprof_shared_ranges *shared)
{
	pprof_shared_tables_put(&shared->process, &shared->session_tables->cost);
	if (shared->pooled) {
		give_back(shared);
		return;
	}
	atomic64_sub(shared->cost, &shared->session_tables->cost);
	kvfree(shared);
}

static void free_ranges_rcu(struct rcu_head *rcu)
{
	free_ranges(container_of(rcu, struct pprof_shared_ranges, rcu));
}

/* Context: any. NULL is left alone. */
static void put_ranges(struct pprof_process_ranges *process)
{
	struct pprof_shared_ranges *shared = pprof_shared_ranges(process);

	if (shared && refcount_dec_and_test(&shared->refs))
		call_rcu(&shared->rcu, free_ranges_rcu);
}

static void free_file(struct pprof_session_tables *session_tables, struct pprof_bound_file *file)
{
	if (file->table)
		pprof_shared_table_put(pprof_shared_table(file->table), &session_tables->cost);
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

static void unbind(struct pprof_session_tables *session_tables, const struct pprof_table *table)
{
	if (!smp_load_acquire(&session_tables->pool))	/* pairs with need_pool() */
		return;
	for (u32 i = 0; i < PPROF_BOUND_FILES_BUCKETS; i++)
		unbind_bucket(session_tables, i, table);
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
	struct pprof_shared_table *shared;
	unsigned long number;

	if (!session_tables->slots)
		return;
	for (u32 i = 0; i < PPROF_SESSION_TABLES_SLOTS; i++)
		put_ranges(rcu_dereference_protected(session_tables->slots[i].process, true));
	rcu_barrier();
	free_pool(session_tables);
	xa_for_each(&session_tables->tables, number, shared)
		pprof_shared_table_put(shared, &session_tables->cost);
	xa_destroy(&session_tables->tables);
	free_caches(session_tables);
}

int pprof_session_tables_add_table(struct pprof_session_tables *session_tables,
				   const void __user *from, u32 bytes, u32 *number)
{
	struct pprof_shared_table *shared = pprof_shared_table_new(from, bytes);
	int err = PTR_ERR_OR_ZERO(shared);

	if (err) {
		pprof_session_tables_uncharge(session_tables, bytes);
		return err;
	}
	shared->cost = pprof_session_tables_cost(bytes);
	err = xa_alloc(&session_tables->tables, number, shared, XA_LIMIT(1, INT_MAX),
		       GFP_KERNEL_ACCOUNT);
	if (err)
		pprof_shared_table_put(shared, &session_tables->cost);
	return err;
}

int pprof_session_tables_drop_table(struct pprof_session_tables *session_tables, u32 number)
{
	struct pprof_shared_table *shared = xa_erase(&session_tables->tables, number);

	if (!shared)
		return -ENOENT;
	WRITE_ONCE(shared->is_dropped, true);
	unbind(session_tables, &shared->table);
	pprof_shared_table_put(shared, &session_tables->cost);
	return 0;
}

/* The lock keeps the table from being freed before the reference is taken. */
static const struct pprof_table *get_table(struct pprof_session_tables *session_tables, u32 number)
{
	struct pprof_shared_table *shared;

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
		pprof_shared_table_put(pprof_shared_table(table), &session_tables->cost);
	return err;
}

/* Calls of several threads may each allocate a pool. The first one stays. */
static int need_pool(struct pprof_session_tables *session_tables)
{
	struct pprof_range_pool *pool;

	if (smp_load_acquire(&session_tables->pool))	/* pairs with cmpxchg() below */
		return 0;
	pool = pprof_range_pool_new(session_tables);
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

static bool is_dropped(const struct pprof_table *table)
{
	return table && READ_ONCE(pprof_shared_table(table)->is_dropped);
}

/*
 * A call that drops the table marks it before it takes the lock. So either this call sees the mark,
 * or that one finds the file.
 */
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
	err = is_dropped(file->table) ? -ENOENT : 0;
	old = err ? file : pprof_bound_files_add(&session_tables->pool->files, file);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	if (old)
		free_file(session_tables, old);
	return err;
}

static struct pprof_shared_ranges *new_ranges(struct pprof_session_tables *session_tables,
					      const struct pprof_range *ranges, u32 nr)
{
	struct pprof_shared_ranges *shared;
	int err;

	shared = pprof_shared_alloc(struct_size(shared, process.ranges, nr));
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

/*
 * Returns room for the ranges of @sent, for @max_bound bound ranges that cut them, and for the list
 * of those. It takes over the charge of @sent.
 */
static struct pprof_shared_ranges *new_merged(struct pprof_shared_ranges *sent, u32 max_bound)
{
	u32 room = sent->process.nr_ranges + 2 * max_bound;
	struct pprof_shared_ranges *merged;

	merged = pprof_shared_alloc(struct_size(merged, process.ranges, room + max_bound));
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
 * Does a bound range give way to what the reader sends? It does if @all has it. It also does if its
 * table was dropped: no reader can confirm it any more, and the file may have another table by now.
 */
static bool gives_way(const struct pprof_process_range *bound, const struct pprof_range_list *all)
{
	return is_dropped(bound->table) || pprof_range_list_has(all, bound);
}

/*
 * Fills @merged with the ranges of @sent, and with the first @nr_bound bound ranges of @old, if
 * @sent lacks them. The hook saw these mappings later than the reader that sent the ranges.
 */
static void merge(struct pprof_shared_ranges *merged, struct pprof_shared_ranges *sent,
		  const struct pprof_shared_ranges *old, u32 nr_bound)
{
	const struct pprof_range_list all = pprof_shared_ranges_list(sent);
	struct pprof_range_list list = { merged->process.ranges, all.nr, all.nr + 2 * nr_bound };

	memcpy(list.ranges, all.ranges, all.nr * sizeof(*all.ranges));
	merged->process.exec_pages = sent->process.exec_pages;
	merged->process.context = sent->process.context;
	merged->nr_bound = 0;
	for (u32 i = 0; i < nr_bound; i++) {
		if (gives_way(&old->bound[i], &all))
			continue;
		pprof_range_list_cut(&list, &old->bound[i], true);
		merged->bound[merged->nr_bound++] = old->bound[i];
	}
	pprof_process_ranges_set_nr(&merged->process, list.nr);
	pprof_shared_tables_hold(&merged->process);
}

/* The state of a slot, and the process that it is for. */
struct slot_state {
	u32 tgid;
	u64 exec_id;
	struct pprof_process_ranges *process;
	bool is_current;	/* the ranges are of this exec id */
	bool is_outdated;	/* the ranges are of a later one */
	u32 nr_bound;		/* 0 also if they are not */
};

/* Locks: session_tables->lock is held. */
static void read_slot(struct pprof_session_tables *session_tables, struct slot_state *state)
{
	const struct pprof_session_tables_slot *slot =
		find_slot(session_tables, state->tgid, state->tgid);

	state->process = ranges_of(session_tables, slot);
	state->is_current = state->process && slot->exec_id == state->exec_id;
	state->is_outdated = state->process && slot->exec_id > state->exec_id;
	state->nr_bound = 0;
	if (state->is_current)
		state->nr_bound = pprof_shared_ranges(state->process)->nr_bound;
}

static void read_state(struct pprof_session_tables *session_tables, struct slot_state *state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	read_slot(session_tables, state);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
}

/*
 * Puts @shared into the slot, if the slot is still as @seen. With @now it does so in any case, but
 * not if the process has called exec. The hooks may have added ranges of the new program by then.
 * Returns: 0, -EAGAIN if the slot has changed, -ESRCH after an exec, or -ENOSPC if no slot is free.
 */
static int publish(struct pprof_session_tables *session_tables, const struct slot_state *seen,
		   struct pprof_shared_ranges *shared, bool now)
{
	struct slot_state state = *seen;
	unsigned long flags;
	int err = -EAGAIN;

	raw_spin_lock_irqsave(&session_tables->lock, flags);
	read_slot(session_tables, &state);
	if (state.is_outdated) {
		err = -ESRCH;
	} else if (now || (state.process == seen->process && state.nr_bound == seen->nr_bound)) {
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
 * the newest bound range may be lost. So may be the last ones by address, if the hook adds more
 * than SPARE_BOUND meanwhile. The reader sends them later.
 */
#define MERGE_TRIES	8
#define SPARE_BOUND	16

/* The RCU read section keeps the ranges that are merged. So their address is not used again. */
static int merge_and_publish(struct pprof_session_tables *session_tables, struct slot_state *state,
			     struct pprof_shared_ranges *sent, struct pprof_shared_ranges *merged,
			     u32 max_bound)
{
	int err = -EAGAIN;

	for (int left = MERGE_TRIES; err == -EAGAIN; left--) {
		pprof_shared_tables_put(&merged->process, &session_tables->cost);
		merged->process.nr_ranges = 0;
		rcu_read_lock();
		read_state(session_tables, state);
		merge(merged, sent, pprof_shared_ranges(state->process),
		      min(state->nr_bound, max_bound));
		err = publish(session_tables, state, merged, left == 1);
		rcu_read_unlock();
	}
	return err;
}

int pprof_session_tables_set(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			     const struct pprof_range *ranges, u32 nr, u64 exec_pages,
			     const struct pprof_tls_address *context)
{
	struct pprof_shared_ranges *sent = new_ranges(session_tables, ranges, nr), *merged;
	struct slot_state state = { .tgid = tgid, .exec_id = exec_id };
	int err = -ENOMEM;
	u32 max_bound;

	if (IS_ERR(sent))
		return PTR_ERR(sent);
	sent->process.exec_pages = exec_pages;
	sent->process.context = *context;
	read_state(session_tables, &state);
	max_bound = min_t(u32, state.nr_bound + SPARE_BOUND, PPROF_MAX_BOUND);
	merged = new_merged(sent, max_bound);
	if (merged)
		err = merge_and_publish(session_tables, &state, sent, merged, max_bound);
	if (merged && err)
		free_ranges(merged);
	free_ranges(sent);
	return err;
}

/*
 * Returns the ranges that the caller puts, without the lock: those that were replaced, or the new
 * ones if no slot is free. NULL: none. @id is as in pprof_session_tables_map().
 * Locks: session_tables->lock is held.
 */
static struct pprof_process_ranges *map_locked(struct pprof_session_tables *session_tables,
					       const struct slot_state *state,
					       struct pprof_process_range *range,
					       const struct pprof_file_identity *id,
					       bool is_counted)
{
	struct pprof_shared_ranges *old =
		state->is_current ? pprof_shared_ranges(state->process) : NULL;
	bool known = pprof_range_pool_find(session_tables->pool, id, &range->table);
	bool is_special = id && !id->dev && !known;
	struct pprof_shared_ranges *block;

	if (is_special ? !old : pprof_range_pool_is_current(old, range, known))
		return NULL;
	block = pprof_range_pool_replace(session_tables->pool, old, range, known, is_counted);
	if (!block)
		return NULL;
	pprof_shared_tables_hold(&block->process);
	if (is_special && is_counted)
		block->process.exec_pages += (range->end - range->start) >> PAGE_SHIFT;
	block->process.epoch = ++session_tables->last_epoch;
	if (set_slot(session_tables, state->tgid, state->exec_id, &block->process))
		return state->process;
	return &block->process;
}

void pprof_session_tables_map(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			      const struct pprof_process_range *range,
			      const struct pprof_file_identity *id, bool is_counted)
{
	struct slot_state state = { .tgid = tgid, .exec_id = exec_id };
	struct pprof_process_range mapped = *range;
	struct pprof_process_ranges *old;

	if (!smp_load_acquire(&session_tables->pool))	/* pairs with need_pool() */
		return;
	raw_spin_lock(&session_tables->lock);
	read_slot(session_tables, &state);
	old = map_locked(session_tables, &state, &mapped, id, is_counted);
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
		refcount_inc(&pprof_shared_ranges(process)->refs);
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
	if (slot && (!exec_id || slot->exec_id < exec_id)) {
		old = ranges_of(session_tables, slot);
		clear_slot(slot);
	}
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	put_ranges(old);
}
