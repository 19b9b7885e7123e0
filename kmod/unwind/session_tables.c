// SPDX-License-Identifier: GPL-2.0
#include "unwind/session_tables.h"

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

/* Readers hold no reference. The memory is freed an RCU grace period after the last put. */
struct shared_ranges {
	refcount_t refs;	/* one of each process that has these ranges */
	struct rcu_head rcu;
	struct pprof_session_tables *session_tables;
	u64 cost;
	struct pprof_process_ranges process;	/* last: it has a flexible array */
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

static void free_ranges(struct shared_ranges *shared)
{
	put_tables(shared->session_tables, &shared->process);
	atomic64_sub(shared->cost, &shared->session_tables->cost);
	kvfree(shared);
}

static void free_ranges_rcu(struct rcu_head *rcu)
{
	free_ranges(container_of(rcu, struct shared_ranges, rcu));
}

/* Context: any. NULL is left alone. */
static void put_ranges(struct pprof_process_ranges *process)
{
	struct shared_ranges *shared = container_of(process, struct shared_ranges, process);

	if (process && refcount_dec_and_test(&shared->refs))
		call_rcu(&shared->rcu, free_ranges_rcu);
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

int pprof_session_tables_set(struct pprof_session_tables *session_tables, pid_t tgid, u64 exec_id,
			     const struct pprof_range *ranges, u32 nr, u64 exec_pages,
			     const struct pprof_tls_address *context)
{
	struct shared_ranges *shared = new_ranges(session_tables, ranges, nr);
	struct pprof_process_ranges *old;
	unsigned long flags;
	bool fits;

	if (IS_ERR(shared))
		return PTR_ERR(shared);
	shared->process.exec_pages = exec_pages;
	shared->process.context = *context;
	raw_spin_lock_irqsave(&session_tables->lock, flags);
	shared->process.epoch = ++session_tables->last_epoch;
	old = ranges_of(session_tables, find_slot(session_tables, tgid, tgid));
	fits = set_slot(session_tables, tgid, exec_id, &shared->process);
	raw_spin_unlock_irqrestore(&session_tables->lock, flags);
	put_ranges(fits ? old : &shared->process);
	return fits ? 0 : -ENOSPC;
}

void pprof_session_tables_fork(struct pprof_session_tables *session_tables, pid_t parent,
			       pid_t child)
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
	if (process && set_slot(session_tables, child, slot->exec_id, process))
		refcount_inc(&container_of(process, struct shared_ranges, process)->refs);
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
