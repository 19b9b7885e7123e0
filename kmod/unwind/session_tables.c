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

/* Readers hold no reference. The memory is freed an RCU grace period after the last one. */
struct shared_space {
	refcount_t refs;	/* of processes */
	struct rcu_head rcu;
	struct pprof_spaces *spaces;
	u64 cost;
	struct pprof_space space;	/* last: it has a flexible array */
};

int pprof_spaces_init(struct pprof_spaces *spaces)
{
	spaces->slots = kvcalloc(PPROF_SPACES_SLOTS, sizeof(*spaces->slots),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!spaces->slots)
		return -ENOMEM;
	spaces->caches = alloc_percpu_gfp(struct pprof_rulecache,
					  GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!spaces->caches) {
		kvfree(spaces->slots);
		spaces->slots = NULL;
		return -ENOMEM;
	}
	xa_init_flags(&spaces->tables, XA_FLAGS_ALLOC1);
	raw_spin_lock_init(&spaces->lock);
	return 0;
}

/* Walks reach a table through ranges. When the last ranges are freed, no walk uses it. */
static void put_table(struct pprof_spaces *spaces, struct shared_table *shared)
{
	if (!refcount_dec_and_test(&shared->refs))
		return;
	atomic64_sub(shared->cost, &spaces->cost);
	kvfree(shared);
}

static void put_tables(struct pprof_spaces *spaces, const struct pprof_space *space)
{
	const struct pprof_table *table;

	for (u32 i = 0; i < space->nr_ranges; i++) {
		table = space->ranges[i].table;
		if (table)
			put_table(spaces, container_of(table, struct shared_table, table));
	}
}

static void free_space(struct shared_space *shared)
{
	put_tables(shared->spaces, &shared->space);
	atomic64_sub(shared->cost, &shared->spaces->cost);
	kvfree(shared);
}

static void free_space_rcu(struct rcu_head *rcu)
{
	free_space(container_of(rcu, struct shared_space, rcu));
}

/* Context: any. NULL is left alone. */
static void put_space(struct pprof_space *space)
{
	struct shared_space *shared = container_of(space, struct shared_space, space);

	if (space && refcount_dec_and_test(&shared->refs))
		call_rcu(&shared->rcu, free_space_rcu);
}

/*
 * rcu_barrier() also waits for ranges that are already on the way to be freed. Their callback is
 * code of the module, and uses @spaces.
 */
void pprof_spaces_fini(struct pprof_spaces *spaces)
{
	struct shared_table *shared;
	unsigned long number;

	if (!spaces->slots)
		return;
	for (u32 i = 0; i < PPROF_SPACES_SLOTS; i++)
		put_space(rcu_dereference_protected(spaces->slots[i].space, true));
	rcu_barrier();
	xa_for_each(&spaces->tables, number, shared)
		put_table(spaces, shared);
	xa_destroy(&spaces->tables);
	free_percpu(spaces->caches);
	kvfree(spaces->slots);
	spaces->slots = NULL;
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

int pprof_spaces_add_table(struct pprof_spaces *spaces, const void __user *from, u32 bytes,
			   u32 *number)
{
	struct shared_table *shared;
	int err = -ENOMEM;

	shared = alloc_shared(struct_size(shared, data, DIV_ROUND_UP(bytes, 8)));
	if (!shared)
		goto cost;
	refcount_set(&shared->refs, 1);
	shared->cost = pprof_spaces_cost(bytes);
	err = fill_table(shared, from, bytes);
	if (err)
		goto free;
	err = xa_alloc(&spaces->tables, number, shared, XA_LIMIT(1, INT_MAX),
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto free;
	return 0;
free:
	kvfree(shared);
cost:
	pprof_spaces_uncharge(spaces, bytes);
	return err;
}

int pprof_spaces_drop_table(struct pprof_spaces *spaces, u32 number)
{
	struct shared_table *shared = xa_erase(&spaces->tables, number);

	if (!shared)
		return -ENOENT;
	put_table(spaces, shared);
	return 0;
}

/* The lock keeps the table from being freed before the reference is taken. */
static const struct pprof_table *get_table(struct pprof_spaces *spaces, u32 number)
{
	struct shared_table *shared;

	xa_lock(&spaces->tables);
	shared = xa_load(&spaces->tables, number);
	if (shared)
		refcount_inc(&shared->refs);
	xa_unlock(&spaces->tables);
	return shared ? &shared->table : NULL;
}

static int append_range(struct pprof_spaces *spaces, struct pprof_space *space,
			const struct pprof_range *range)
{
	const struct pprof_table *table = NULL;
	int err;

	if (range->table) {
		table = get_table(spaces, range->table);
		if (!table)
			return -ENOENT;
	}
	err = pprof_space_add(space, range, table);
	if (err && table)
		put_table(spaces, container_of(table, struct shared_table, table));
	return err;
}

static struct shared_space *new_space(struct pprof_spaces *spaces,
				      const struct pprof_range *ranges, u32 nr)
{
	struct shared_space *shared;
	int err;

	shared = alloc_shared(struct_size(shared, space.ranges, nr));
	if (!shared) {
		pprof_spaces_uncharge(spaces, nr * sizeof(*ranges));
		return ERR_PTR(-ENOMEM);
	}
	memset(shared, 0, sizeof(*shared));
	refcount_set(&shared->refs, 1);
	shared->spaces = spaces;
	shared->cost = pprof_spaces_cost(nr * sizeof(*ranges));
	for (u32 i = 0; i < nr; i++) {
		err = append_range(spaces, &shared->space, &ranges[i]);
		if (err) {
			free_space(shared);
			return ERR_PTR(err);
		}
	}
	return shared;
}

/* Returns the slot of @tgid in the bucket of @home, or NULL. A @tgid of 0 finds a free slot. */
static struct pprof_spaces_slot *find_slot(struct pprof_spaces *spaces, u32 home, u32 tgid)
{
	struct pprof_spaces_slot *slot = pprof_spaces_bucket(spaces, home);

	for (u32 i = 0; i < PPROF_SPACES_BUCKET; i++)
		if (slot[i].tgid == tgid)
			return &slot[i];
	return NULL;
}

/* Locks: spaces->lock is held, as for the next two functions. */
static struct pprof_space *space_of(struct pprof_spaces *spaces,
				    const struct pprof_spaces_slot *slot)
{
	return slot ? rcu_dereference_protected(slot->space, lockdep_is_held(&spaces->lock)) : NULL;
}

static bool set_slot(struct pprof_spaces *spaces, u32 tgid, u64 image, struct pprof_space *space)
{
	struct pprof_spaces_slot *slot = find_slot(spaces, tgid, tgid);

	if (!slot)
		slot = find_slot(spaces, tgid, 0);
	if (!slot)
		return false;
	slot->image = image;
	rcu_assign_pointer(slot->space, space);
	smp_store_release(&slot->tgid, tgid);	/* pairs with pprof_spaces_find() */
	return true;
}

static void clear_slot(struct pprof_spaces_slot *slot)
{
	if (!slot)
		return;
	WRITE_ONCE(slot->tgid, 0);
	RCU_INIT_POINTER(slot->space, NULL);
}

int pprof_spaces_set(struct pprof_spaces *spaces, pid_t tgid, u64 image,
		     const struct pprof_range *ranges, u32 nr, u64 exec_pages)
{
	struct shared_space *shared = new_space(spaces, ranges, nr);
	struct pprof_space *old;
	unsigned long flags;
	bool fits;

	if (IS_ERR(shared))
		return PTR_ERR(shared);
	shared->space.exec_pages = exec_pages;
	raw_spin_lock_irqsave(&spaces->lock, flags);
	shared->space.epoch = ++spaces->last_epoch;
	old = space_of(spaces, find_slot(spaces, tgid, tgid));
	fits = set_slot(spaces, tgid, image, &shared->space);
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
	put_space(fits ? old : &shared->space);
	return fits ? 0 : -ENOSPC;
}

void pprof_spaces_fork(struct pprof_spaces *spaces, pid_t parent, pid_t child)
{
	struct pprof_spaces_slot *slot;
	struct pprof_space *old, *space;
	unsigned long flags;

	raw_spin_lock_irqsave(&spaces->lock, flags);
	slot = find_slot(spaces, child, child);
	old = space_of(spaces, slot);
	clear_slot(slot);
	slot = find_slot(spaces, parent, parent);
	space = space_of(spaces, slot);
	if (space && set_slot(spaces, child, slot->image, space))
		refcount_inc(&container_of(space, struct shared_space, space)->refs);
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
	put_space(old);
}

void pprof_spaces_drop(struct pprof_spaces *spaces, pid_t tgid, u64 image)
{
	struct pprof_space *old = NULL;
	struct pprof_spaces_slot *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&spaces->lock, flags);
	slot = find_slot(spaces, tgid, tgid);
	if (slot && slot->image != image) {
		old = space_of(spaces, slot);
		clear_slot(slot);
	}
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
	put_space(old);
}
