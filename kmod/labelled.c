// SPDX-License-Identifier: GPL-2.0
#include "labelled.h"

#include <linux/binfmts.h>
#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat.h"
#include "hooks.h"
#include "quota.h"
#include "words.h"

#define NR_SLOTS	8192U
#define WINDOW		16U

/* Readers have no reference: it goes an RCU grace period after its end. */
struct pprof_labelled {
	struct rcu_head rcu;
	struct pprof_words words;
	struct pprof_labels labels;
	bool ended;		/* these two are guarded by the slots' lock */
	DECLARE_BITMAP(used, PPROF_NR_WORDS);
};

/*
 * Where a thread is made, nothing can be allocated. So the places for threads are
 * there as soon as there is a process with labels: that of one is among the WINDOW
 * slots that its number tells. Tids come in sequence, which fills them evenly.
 *
 * A thread is known by its task: an exec may give it another's number, and numbers
 * are used again. It gives its slot back as it ends, before its task is another's.
 */
struct slot {
	const struct task_struct *task;	/* NULL: free */
	struct pprof_labelled *of;
	u32 word;
};

u32 pprof_labelled_nr;		/* slots that are not free */
static struct slot *slots;	/* written once */
static DEFINE_RAW_SPINLOCK(slots_lock);	/* guards writing slots, and their number; irq-safe */

static DEFINE_MUTEX(hooks_lock);	/* guards what follows, and making the slots */
static u32 nr_processes;	/* with labels: while there are any, hooks are in place */
static u64 last_id;

/* Where @task (NULL: nobody) stands among the slots that @tid may have. */
static struct slot *find_slot(const struct task_struct *task, pid_t tid)
{
	struct slot *slot = &slots[tid % NR_SLOTS], *end = slot + WINDOW;

	for (; slot < end; slot++)
		if (smp_load_acquire(&slot->task) == task)	/* with set_slot() */
			return slot;
	return NULL;
}

/*
 * The slot may become another thread's meanwhile, but only @task takes it again. A
 * word, whatever it says, and whoever writes it now, is read once.
 */
const struct pprof_label_set *pprof_labelled_find(const struct task_struct *task)
{
	const struct pprof_labelled *labelled;
	const struct slot *slot = find_slot(task, task->pid);
	u32 word;

	if (!slot)
		return NULL;
	labelled = READ_ONCE(slot->of);
	word = READ_ONCE(slot->word);
	smp_rmb();	/* with clear_slot() */
	if (READ_ONCE(slot->task) != task)
		return NULL;
	word = READ_ONCE(*pprof_words_at(&labelled->words, word));
	return pprof_labels_find(&labelled->labels, word);
}

/* Slots: their lock is held */

static bool set_slot(struct pprof_labelled *labelled, const struct task_struct *task, u32 value)
{
	u32 word = find_first_zero_bit(labelled->used, PPROF_NR_WORDS);
	struct slot *slot = find_slot(NULL, task->pid);

	if (!slot || word == PPROF_NR_WORDS || labelled->ended)
		return false;
	__set_bit(word, labelled->used);
	WRITE_ONCE(*pprof_words_at(&labelled->words, word), value);
	WRITE_ONCE(slot->of, labelled);
	WRITE_ONCE(slot->word, word);
	smp_store_release(&slot->task, task);	/* with find_slot() */
	smp_store_release(&pprof_labelled_nr, pprof_labelled_nr + 1);
	return true;
}

/* Before anybody else is there, nobody is. */
static void clear_slot(struct slot *slot)
{
	__clear_bit(slot->word, slot->of->used);
	WRITE_ONCE(slot->task, NULL);
	smp_wmb();	/* with pprof_labelled_find() */
	WRITE_ONCE(pprof_labelled_nr, pprof_labelled_nr - 1);
}

/* Lives */

/* Only @task, which is current, or the end of labels takes its slot away. */
static void forget(const struct task_struct *task, pid_t tid)
{
	struct slot *slot = find_slot(task, tid);
	unsigned long flags;

	if (!slot)
		return;
	raw_spin_lock_irqsave(&slots_lock, flags);
	if (slot->task == task)
		clear_slot(slot);
	raw_spin_unlock_irqrestore(&slots_lock, flags);
}

/* It does not run yet. */
static void probe_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
	unsigned long flags;
	struct slot *slot;

	if (!pprof_labelled_any() || !pprof_is_user_thread(task, clone_flags))
		return;
	slot = find_slot(current, current->pid);
	if (!slot)
		return;
	raw_spin_lock_irqsave(&slots_lock, flags);
	if (slot->task == current)
		set_slot(slot->of, task, READ_ONCE(*pprof_words_at(&slot->of->words, slot->word)));
	raw_spin_unlock_irqrestore(&slots_lock, flags);
}

DEFINE_EXIT_PROBE(probe_exit)
static void probe_exit(void *data, struct task_struct *task, bool group_dead)
{
	if (pprof_labelled_any())
		forget(task, task->pid);
}

/* It may have become its process's leader, whose number it has now. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	if (!pprof_labelled_any())
		return;
	forget(task, old_pid);
	forget(task, task->pid);
}

static const struct {
	enum pprof_hook hook;
	void *probe;
} probes[] = {
	{ PPROF_HOOK_EXIT, probe_exit_hook },
	{ PPROF_HOOK_EXEC, probe_exec },
	{ PPROF_HOOK_NEWTASK, probe_newtask },
};

static void del_probes(int nr)
{
	while (nr--)
		pprof_hook_del(probes[nr].hook, probes[nr].probe, NULL);
}

static int add_probes(void)
{
	int err;

	check_trace_callback_type_task_newtask(probe_newtask);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_exit(probe_exit_hook);
	for (int i = 0; i < ARRAY_SIZE(probes); i++) {
		err = pprof_hook_add(probes[i].hook, probes[i].probe, NULL);
		if (err) {
			del_probes(i);
			return err;
		}
	}
	return 0;
}

static int make_slots(void)
{
	/* Windows don't wrap around. */
	if (!slots)
		slots = kvcalloc(NR_SLOTS + WINDOW - 1, sizeof(*slots), GFP_KERNEL | __GFP_NOWARN);
	return slots ? 0 : -ENOMEM;
}

/* Ids are never given twice. */
static int join(struct pprof_labelled *labelled)
{
	int err;

	mutex_lock(&hooks_lock);
	err = make_slots();
	if (!err && !nr_processes)
		err = add_probes();
	if (!err) {
		nr_processes++;
		labelled->labels.first = last_id;
		last_id += PPROF_MAX_LABEL_SETS + 1;
	}
	mutex_unlock(&hooks_lock);
	return err;
}

static void leave(void)
{
	mutex_lock(&hooks_lock);
	if (!--nr_processes)
		del_probes(ARRAY_SIZE(probes));
	mutex_unlock(&hooks_lock);
}

static void free_labelled(struct pprof_labelled *labelled)
{
	pprof_words_fini(&labelled->words);
	pprof_labels_fini(&labelled->labels);
	kfree(labelled);
}

static void free_labelled_rcu(struct rcu_head *rcu)
{
	free_labelled(container_of(rcu, struct pprof_labelled, rcu));
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
	size_t bytes = sizeof(struct pprof_labelled) + PPROF_WORDS_BYTES;
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
	labelled->labels.quota = quota;
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
	if (err)
		goto free;
	err = pprof_words_map(&labelled->words);
	if (err)
		goto leave;
	*labelled_out = labelled;
	return 0;
leave:
	leave();
free:
	pprof_quota_give(quota, labelled->labels.bytes);
	free_labelled(labelled);
	return err;
}

/* In steps, since interrupts are off. */
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

/* No slot comes any more, then those that there are go, then what looks after them. */
void pprof_labelled_end(struct pprof_labelled *labelled)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slots_lock, flags);
	labelled->ended = true;
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	clear_slots_of(labelled);
	leave();
	pprof_quota_give(labelled->labels.quota, labelled->labels.bytes);
	call_rcu(&labelled->rcu, free_labelled_rcu);
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
	slot = find_slot(current, current->pid);
	if (!slot && set_slot(labelled, current, 0))
		slot = find_slot(current, current->pid);
	if (slot) {
		word->address = pprof_words_address(&slot->of->words, slot->word);
		word->space = slot->of->labels.first + 1;
		err = 0;
	}
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	return err;
}

void pprof_labelled_exit(void)
{
	tracepoint_synchronize_unregister();
	rcu_barrier();
	kvfree(slots);
}
