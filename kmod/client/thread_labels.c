// SPDX-License-Identifier: GPL-2.0
#include "client/thread_labels.h"

#include <linux/binfmts.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "base/perfmon.h"
#include "base/compat.h"
#include "base/tracepoint_set.h"
#include "base/user_quota.h"
#include "client/label_page.h"

#define SLOTS_BITS	14
#define NR_SLOTS	BIT(SLOTS_BITS)
#define WINDOW		32U

/*
 * Readers hold no reference. It is freed an RCU grace period after its end, by a worker: there may
 * be thousands of sets to free.
 */
struct pprof_thread_labels {
	struct rcu_work work;
	struct pprof_label_page page;
	struct pprof_label_sets labels;
	bool exempt;		/* its threads do not count for the user's share: constant */
	bool ended;		/* guarded by slots_lock, as used is */
	DECLARE_BITMAP(used, PPROF_NR_LABEL_SLOTS);
};

/*
 * A table of fixed size: no memory can be allocated where a thread is created. The slot of a thread
 * is among the WINDOW slots from its home on. Users without CAP_PERFMON may have 3 of 8 slots. Then
 * not one in a million threads finds its window full. If half of the slots are used, 3 of 100,000
 * do.
 *
 * The key is the task. A tid is rejected: an exec may give a thread another tid, and may fail after
 * that. A thread gives its slot back when it ends, before its task struct is used again. See "Slot
 * tables" in doc/design.md.
 */
struct slot {
	const struct task_struct *task;	/* NULL: free */
	struct pprof_thread_labels *of;
	u32 index;	/* of the thread's slot in the label page */
	/* The slots of all threads with this home are among the first `reach` slots from here */
	u32 reach;
};

u32 pprof_thread_labels_nr;		/* number of slots that are not free */
static struct slot *slots;	/* written once */
static DEFINE_RAW_SPINLOCK(slots_lock);	/* guards writes to slots, and their number; irq-safe */

/* Guards the variables below, and the allocation of slots */
static DEFINE_MUTEX(shared_lock);
static struct workqueue_struct *workers;	/* written once */
static bool hooked;
static u64 last_id;

static struct slot *home_of(const struct task_struct *task)
{
	return &slots[hash_ptr(task, SLOTS_BITS)];
}

/* Returns the slot of @task (NULL: a free one) among the first @nr from @home on, or NULL. */
static struct slot *find_from(struct slot *home, u32 nr, const struct task_struct *task)
{
	for (struct slot *slot = home; slot < home + nr; slot++)
		if (smp_load_acquire(&slot->task) == task)	/* pairs with set_slot() */
			return slot;
	return NULL;
}

/* Most threads have no labels. For those it reads at most a few slots. */
static struct slot *find_slot(const struct task_struct *task)
{
	struct slot *home = home_of(task);

	return find_from(home, READ_ONCE(home->reach), task);
}

/*
 * Another thread may get the slot meanwhile. Only @task itself could get it back for @task. User
 * space may write the slot at any time: read it once.
 */
const struct pprof_label_set *pprof_thread_labels_find(const struct task_struct *task)
{
	const struct pprof_thread_labels *thread_labels;
	const struct slot *slot = find_slot(task);
	u32 index;

	if (!slot)
		return NULL;
	thread_labels = READ_ONCE(slot->of);
	index = READ_ONCE(slot->index);
	smp_rmb();	/* pairs with clear_slot() */
	if (READ_ONCE(slot->task) != task)
		return NULL;
	index = READ_ONCE(*pprof_label_page_at(&thread_labels->page, index));
	return pprof_label_sets_find(&thread_labels->labels, index);
}

/* Slots. Locks: slots_lock is held. */

static bool take_thread(const struct pprof_thread_labels *thread_labels)
{
	return thread_labels->exempt || pprof_quota_charge_thread(thread_labels->labels.quota);
}

/* Returns: the slot, or NULL: no room. */
static struct slot *set_slot(struct pprof_thread_labels *thread_labels,
			     const struct task_struct *task, u32 value)
{
	u32 index = find_first_zero_bit(thread_labels->used, PPROF_NR_LABEL_SLOTS);
	struct slot *home = home_of(task), *slot = find_from(home, WINDOW, NULL);

	if (!slot || index == PPROF_NR_LABEL_SLOTS || thread_labels->ended ||
	    !take_thread(thread_labels))
		return NULL;
	__set_bit(index, thread_labels->used);
	WRITE_ONCE(*pprof_label_page_at(&thread_labels->page, index), value);
	WRITE_ONCE(slot->of, thread_labels);
	WRITE_ONCE(slot->index, index);
	WRITE_ONCE(home->reach, max_t(u32, home->reach, slot - home + 1));
	smp_store_release(&slot->task, task);	/* pairs with find_from() */
	smp_store_release(&pprof_thread_labels_nr, pprof_thread_labels_nr + 1);
	return slot;
}

/* Clear the task first: a reader must never pair the old task with the new owner. */
static void clear_slot(struct slot *slot)
{
	__clear_bit(slot->index, slot->of->used);
	if (!slot->of->exempt)
		pprof_quota_uncharge_thread(slot->of->labels.quota);
	WRITE_ONCE(slot->task, NULL);
	smp_wmb();	/* pairs with pprof_thread_labels_find() */
	WRITE_ONCE(pprof_thread_labels_nr, pprof_thread_labels_nr - 1);
}

/* Process events */

/* A slot is cleared by its own thread, which is current, or at the end of the labels. */
static void forget(const struct task_struct *task)
{
	struct slot *slot = find_slot(task);
	unsigned long flags;

	if (!slot)
		return;
	raw_spin_lock_irqsave(&slots_lock, flags);
	if (slot->task == task)
		clear_slot(slot);
	raw_spin_unlock_irqrestore(&slots_lock, flags);
}

/* A thread without labels needs no slot. It gets one when it sets labels. */
static void inherit(const struct slot *slot, const struct task_struct *task)
{
	u32 value = READ_ONCE(*pprof_label_page_at(&slot->of->page, slot->index));

	if (value)
		set_slot(slot->of, task, value);
}

/* @task does not run yet. */
static void probe_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
	unsigned long flags;
	struct slot *slot;

	if (!pprof_thread_labels_any() || !pprof_is_user_thread(task, clone_flags))
		return;
	slot = find_slot(current);
	if (!slot)
		return;
	raw_spin_lock_irqsave(&slots_lock, flags);
	if (slot->task == current)
		inherit(slot, task);
	raw_spin_unlock_irqrestore(&slots_lock, flags);
}

DEFINE_EXIT_PROBE(probe_exit)
static void probe_exit(void *data, struct task_struct *task, bool group_dead)
{
	if (pprof_thread_labels_any())
		forget(task);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	if (pprof_thread_labels_any())
		forget(task);
}

static const struct pprof_tracepoint_probe probes[] = {
	{ PPROF_TRACEPOINT_EXIT, probe_exit_hook },
	{ PPROF_TRACEPOINT_EXEC, probe_exec },
	{ PPROF_TRACEPOINT_NEWTASK, probe_newtask },
};

static int add_probes(void)
{
	check_trace_callback_type_task_newtask(probe_newtask);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_exit(probe_exit_hook);
	return pprof_tracepoint_set_add(probes, ARRAY_SIZE(probes), NULL);
}

/*
 * Makes the objects that all processes with labels share. They stay until the module is unloaded.
 * To add and remove probes interrupts all CPUs. A process must not be able to ask for that again
 * and again. The probes cost a process without labels a load and a branch.
 */
static int make_shared(void)
{
	int err;

	/* WINDOW - 1 more slots, as windows do not wrap around. */
	if (!slots)
		slots = kvcalloc(NR_SLOTS + WINDOW - 1, sizeof(*slots), GFP_KERNEL | __GFP_NOWARN);
	if (!workers)
		workers = alloc_workqueue("pprof", WQ_UNBOUND, 0);
	if (!slots || !workers)
		return -ENOMEM;
	if (hooked)
		return 0;
	err = add_probes();
	hooked = !err;
	return err;
}

/* Makes the shared objects, and takes ids for the sets: an id is never given twice. */
static int join(struct pprof_thread_labels *thread_labels)
{
	int err;

	mutex_lock(&shared_lock);
	err = make_shared();
	thread_labels->labels.first = last_id;
	last_id += PPROF_MAX_LABEL_SETS + 1;
	mutex_unlock(&shared_lock);
	return err;
}

/* Gives the charge back only after the memory is freed. */
static void free_thread_labels(struct pprof_thread_labels *thread_labels)
{
	struct pprof_quota *quota = thread_labels->labels.quota;
	size_t bytes = thread_labels->labels.bytes;

	pprof_label_page_fini(&thread_labels->page);
	pprof_label_sets_fini(&thread_labels->labels);
	kfree(thread_labels);
	pprof_quota_uncharge(quota, bytes);
	pprof_quota_put(quota);
}

static void work_free(struct work_struct *work)
{
	free_thread_labels(container_of(to_rcu_work(work), struct pprof_thread_labels, work));
}

static struct pprof_thread_labels *alloc_thread_labels(void)
{
	struct pprof_thread_labels *thread_labels =
		kzalloc(sizeof(*thread_labels), GFP_KERNEL_ACCOUNT);

	if (thread_labels && pprof_label_page_init(&thread_labels->page)) {
		kfree(thread_labels);
		thread_labels = NULL;
	}
	return thread_labels;
}

static struct pprof_thread_labels *new_thread_labels(struct pprof_quota *quota, int *err)
{
	size_t bytes =
		kmalloc_size_roundup(sizeof(struct pprof_thread_labels)) + PPROF_LABEL_PAGE_BYTES;
	struct pprof_thread_labels *thread_labels;

	*err = -ENOSPC;
	if (!pprof_quota_charge(quota, bytes))
		return NULL;
	*err = -ENOMEM;
	thread_labels = alloc_thread_labels();
	if (!thread_labels) {
		pprof_quota_uncharge(quota, bytes);
		return NULL;
	}
	thread_labels->exempt = pprof_perfmon_noaudit();
	thread_labels->labels.quota = pprof_quota_share(quota);
	thread_labels->labels.bytes = bytes;
	return thread_labels;
}

int pprof_thread_labels_new(struct pprof_quota *quota,
			    struct pprof_thread_labels **thread_labels_out)
{
	struct pprof_thread_labels *thread_labels;
	int err;

	thread_labels = new_thread_labels(quota, &err);
	if (!thread_labels)
		return err;
	err = join(thread_labels);
	if (!err)
		err = pprof_label_page_map(&thread_labels->page);
	if (!err) {
		*thread_labels_out = thread_labels;
		return 0;
	}
	free_thread_labels(thread_labels);
	return err;
}

/* Takes the lock anew for each slot, as interrupts are off meanwhile. */
static void clear_slots_of(const struct pprof_thread_labels *thread_labels)
{
	unsigned long flags;

	for (u32 i = 0; i < NR_SLOTS + WINDOW - 1; i++) {
		if (READ_ONCE(slots[i].of) != thread_labels)
			continue;
		raw_spin_lock_irqsave(&slots_lock, flags);
		if (slots[i].task && slots[i].of == thread_labels)
			clear_slot(&slots[i]);
		raw_spin_unlock_irqrestore(&slots_lock, flags);
	}
}

/*
 * First no thread gets a slot any more, then the slots are cleared. The threads of the process have
 * ended, with two exceptions: a thread in exec, and threads of a process that unmapped the page
 * while the module is unloaded.
 */
void pprof_thread_labels_free(struct pprof_thread_labels *thread_labels)
{
	unsigned long flags;
	bool any;

	raw_spin_lock_irqsave(&slots_lock, flags);
	thread_labels->ended = true;
	any = !bitmap_empty(thread_labels->used, PPROF_NR_LABEL_SLOTS);
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	if (any)
		clear_slots_of(thread_labels);
	INIT_RCU_WORK(&thread_labels->work, work_free);
	queue_rcu_work(workers, &thread_labels->work);
}

int pprof_thread_labels_add(struct pprof_thread_labels *thread_labels, struct pprof_label *label)
{
	return pprof_label_sets_add(&thread_labels->labels, label);
}

int pprof_thread_labels_slot(struct pprof_thread_labels *thread_labels,
			     struct pprof_label_slot *out)
{
	const struct slot *slot;
	unsigned long flags;
	int err = -ENOSPC;

	raw_spin_lock_irqsave(&slots_lock, flags);
	slot = find_slot(current);
	if (!slot)
		slot = set_slot(thread_labels, current, 0);
	if (slot && slot->of == thread_labels) {
		out->address = pprof_label_page_address(&thread_labels->page, slot->index);
		out->address_space = thread_labels->labels.first + 1;
		err = 0;
	}
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	return err;
}

void pprof_thread_labels_exit(void)
{
	if (hooked)
		pprof_tracepoint_set_del(probes, ARRAY_SIZE(probes), NULL);
	rcu_barrier();
	if (workers)
		destroy_workqueue(workers);
	kvfree(slots);
}
