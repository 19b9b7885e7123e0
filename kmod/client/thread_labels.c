// SPDX-License-Identifier: GPL-2.0
#include "client/thread_labels.h"

#include <linux/binfmts.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

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
struct pprof_labelled {
	struct rcu_work work;
	struct pprof_words words;
	struct pprof_labels labels;
	bool exempt;		/* does not count for its user's share of threads: constant */
	bool ended;		/* guarded by slots_lock, as used is */
	DECLARE_BITMAP(used, PPROF_NR_WORDS);
};

/*
 * A table of fixed size: no memory can be allocated where a thread is created. The slot of a thread
 * is among the WINDOW slots from its home on. Users without CAP_PERFMON may have 3 of 8 slots. Then
 * not one in a million threads finds its window full. If half of the slots are used, 3 of 100,000
 * do.
 *
 * The key is the task. A tid is rejected: an exec may give a thread another tid, and may fail after
 * that. A thread gives its slot back when it ends, before its task struct is used again.
 */
struct slot {
	const struct task_struct *task;	/* NULL: free */
	struct pprof_labelled *of;
	u32 word;
	/* All slots of threads with this home are among this number of slots from here */
	u32 reach;
};

u32 pprof_labelled_nr;		/* number of slots that are not free */
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

/* Most threads have no labels. Then it reads one slot, or a few. */
static struct slot *find_slot(const struct task_struct *task)
{
	struct slot *home = home_of(task);

	return find_from(home, READ_ONCE(home->reach), task);
}

/*
 * The slot may become that of another thread meanwhile, but only @task itself gets a slot again.
 * User space may write the word at any time: read it once.
 */
const struct pprof_label_set *pprof_labelled_find(const struct task_struct *task)
{
	const struct pprof_labelled *labelled;
	const struct slot *slot = find_slot(task);
	u32 word;

	if (!slot)
		return NULL;
	labelled = READ_ONCE(slot->of);
	word = READ_ONCE(slot->word);
	smp_rmb();	/* pairs with clear_slot() */
	if (READ_ONCE(slot->task) != task)
		return NULL;
	word = READ_ONCE(*pprof_words_at(&labelled->words, word));
	return pprof_labels_find(&labelled->labels, word);
}

/* Slots. Locks: slots_lock is held. */

static bool take_thread(const struct pprof_labelled *labelled)
{
	return labelled->exempt || pprof_quota_take_thread(labelled->labels.quota);
}

/* Returns: the slot, or NULL: no room. */
static struct slot *set_slot(struct pprof_labelled *labelled, const struct task_struct *task,
			     u32 value)
{
	u32 word = find_first_zero_bit(labelled->used, PPROF_NR_WORDS);
	struct slot *home = home_of(task), *slot = find_from(home, WINDOW, NULL);

	if (!slot || word == PPROF_NR_WORDS || labelled->ended ||
	    !take_thread(labelled))
		return NULL;
	__set_bit(word, labelled->used);
	WRITE_ONCE(*pprof_words_at(&labelled->words, word), value);
	WRITE_ONCE(slot->of, labelled);
	WRITE_ONCE(slot->word, word);
	WRITE_ONCE(home->reach, max_t(u32, home->reach, slot - home + 1));
	smp_store_release(&slot->task, task);	/* pairs with find_from() */
	smp_store_release(&pprof_labelled_nr, pprof_labelled_nr + 1);
	return slot;
}

/* Clear the task first: a reader must never pair the old task with the new owner. */
static void clear_slot(struct slot *slot)
{
	__clear_bit(slot->word, slot->of->used);
	if (!slot->of->exempt)
		pprof_quota_give_thread(slot->of->labels.quota);
	WRITE_ONCE(slot->task, NULL);
	smp_wmb();	/* pairs with pprof_labelled_find() */
	WRITE_ONCE(pprof_labelled_nr, pprof_labelled_nr - 1);
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
	u32 value = READ_ONCE(*pprof_words_at(&slot->of->words, slot->word));

	if (value)
		set_slot(slot->of, task, value);
}

/* @task does not run yet. */
static void probe_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
	unsigned long flags;
	struct slot *slot;

	if (!pprof_labelled_any() || !pprof_is_user_thread(task, clone_flags))
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
	if (pprof_labelled_any())
		forget(task);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	if (pprof_labelled_any())
		forget(task);
}

static const struct pprof_hook_probe probes[] = {
	{ PPROF_HOOK_EXIT, probe_exit_hook },
	{ PPROF_HOOK_EXEC, probe_exec },
	{ PPROF_HOOK_NEWTASK, probe_newtask },
};

static int add_probes(void)
{
	check_trace_callback_type_task_newtask(probe_newtask);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_exit(probe_exit_hook);
	return pprof_hookset_add(probes, ARRAY_SIZE(probes), NULL);
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

/* An id is never given twice. */
static int join(struct pprof_labelled *labelled)
{
	int err;

	mutex_lock(&shared_lock);
	err = make_shared();
	labelled->labels.first = last_id;
	last_id += PPROF_MAX_LABEL_SETS + 1;
	mutex_unlock(&shared_lock);
	return err;
}

/* Returns the charge after the memory is freed, and not before. */
static void free_labelled(struct pprof_labelled *labelled)
{
	struct pprof_quota *quota = labelled->labels.quota;
	size_t bytes = labelled->labels.bytes;

	pprof_words_fini(&labelled->words);
	pprof_labels_fini(&labelled->labels);
	kfree(labelled);
	pprof_quota_give(quota, bytes);
	pprof_quota_put(quota);
}

static void work_free(struct work_struct *work)
{
	free_labelled(container_of(to_rcu_work(work), struct pprof_labelled, work));
}

static struct pprof_labelled *alloc_labelled(void)
{
	struct pprof_labelled *labelled = kzalloc(sizeof(*labelled), GFP_KERNEL_ACCOUNT);

	if (labelled && pprof_words_init(&labelled->words)) {
		kfree(labelled);
		labelled = NULL;
	}
	return labelled;
}

static struct pprof_labelled *new_labelled(struct pprof_quota *quota, int *err)
{
	size_t bytes = kmalloc_size_roundup(sizeof(struct pprof_labelled)) + PPROF_WORDS_BYTES;
	struct pprof_labelled *labelled;

	*err = -ENOSPC;
	if (!pprof_quota_take(quota, bytes))
		return NULL;
	*err = -ENOMEM;
	labelled = alloc_labelled();
	if (!labelled) {
		pprof_quota_give(quota, bytes);
		return NULL;
	}
	labelled->exempt = perfmon_capable();
	labelled->labels.quota = pprof_quota_share(quota);
	labelled->labels.bytes = bytes;
	return labelled;
}

int pprof_labelled_new(struct pprof_quota *quota, struct pprof_labelled **labelled_out)
{
	struct pprof_labelled *labelled;
	int err;

	labelled = new_labelled(quota, &err);
	if (!labelled)
		return err;
	err = join(labelled);
	if (!err)
		err = pprof_words_map(&labelled->words);
	if (!err) {
		*labelled_out = labelled;
		return 0;
	}
	free_labelled(labelled);
	return err;
}

/* Takes the lock anew for each slot, as interrupts are off meanwhile. */
static void clear_slots_of(const struct pprof_labelled *labelled)
{
	unsigned long flags;

	for (u32 i = 0; i < NR_SLOTS + WINDOW - 1; i++) {
		if (READ_ONCE(slots[i].of) != labelled)
			continue;
		raw_spin_lock_irqsave(&slots_lock, flags);
		if (slots[i].task && slots[i].of == labelled)
			clear_slot(&slots[i]);
		raw_spin_unlock_irqrestore(&slots_lock, flags);
	}
}

/*
 * First no thread gets a slot any more, then the slots are cleared. The threads of the process have
 * ended, with two exceptions: a thread in exec, and threads of a process that unmapped the page
 * while the module is unloaded.
 */
void pprof_labelled_end(struct pprof_labelled *labelled)
{
	unsigned long flags;
	bool any;

	raw_spin_lock_irqsave(&slots_lock, flags);
	labelled->ended = true;
	any = !bitmap_empty(labelled->used, PPROF_NR_WORDS);
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	if (any)
		clear_slots_of(labelled);
	INIT_RCU_WORK(&labelled->work, work_free);
	queue_rcu_work(workers, &labelled->work);
}

int pprof_labelled_add(struct pprof_labelled *labelled, struct pprof_label *label)
{
	return pprof_labels_add(&labelled->labels, label);
}

int pprof_labelled_word(struct pprof_labelled *labelled, struct pprof_label_word *word)
{
	const struct slot *slot;
	unsigned long flags;
	int err = -ENOSPC;

	raw_spin_lock_irqsave(&slots_lock, flags);
	slot = find_slot(current);
	if (!slot)
		slot = set_slot(labelled, current, 0);
	if (slot && slot->of == labelled) {
		word->address = pprof_words_address(&labelled->words, slot->word);
		word->space = labelled->labels.first + 1;
		err = 0;
	}
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	return err;
}

void pprof_labelled_exit(void)
{
	if (hooked)
		pprof_hookset_del(probes, ARRAY_SIZE(probes), NULL);
	rcu_barrier();
	if (workers)
		destroy_workqueue(workers);
	kvfree(slots);
}
