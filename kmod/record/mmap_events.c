// SPDX-License-Identifier: GPL-2.0
#include "record/mmap_events.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "base/compat.h"
#include "base/cooldown.h"
#include "record/mmap_probe.h"

#define NR_ENTRIES 512	/* a process maps about 5 at its start */
#define MAX_DEBT_NS	(5 * NSEC_PER_MSEC)

/* The fields of a struct pprof_mmap, but for the name. */
struct mapping {
	struct pprof_event ev;
	u64 start;
	u64 end;
	u64 offset;
	const struct inode *inode;	/* NULL: no file */
};

struct entry {
	struct file *file;	/* NULL: no file; else a reference, which keeps the inode */
	const char *name;	/* name of a mapping without a file; constant */
	struct mapping mapping;
};

/*
 * The probe runs with preemption off. d_path() must not: on PREEMPT_RT its seqlocks sleep. So the
 * probe takes a reference to the file and queues it. A work item finds the path. Mappings without a
 * file are queued, too, so that records stay in order. An irq_work queues the work item, since the
 * queue's lock must not be held around that of the workqueue. It is a HARD one: see ring/wakeup.c.
 *
 * No process is charged for the time of the work item. So without CAP_PERFMON the session's owner
 * gets half of a CPU at most. The time of the work is a debt, which passing time reduces. Over
 * MAX_DEBT_NS the work item has a cooldown until the debt is 0. The queue may overflow then.
 */
struct pprof_mmap_events {
	struct rcu_head rcu;
	struct pprof_sink *sink;
	struct kprobe probe;
	struct irq_work kick;
	struct delayed_work work;
	u64 debt_ns;	/* of the work item, at done_ns */
	u64 done_ns;
	u64 cooldown_end_ns;	/* end of the cooldown; ktime */
	bool flushing;	/* the work item runs without a cooldown */
	raw_spinlock_t lock;	/* guards the three fields below; irq-safe */
	u32 head;
	u32 tail;
	struct entry entries[NR_ENTRIES];
	char path[PATH_MAX];	/* used by the work item */
};

static bool push(struct pprof_mmap_events *mmap_events, const struct entry *entry)
{
	bool fits;

	raw_spin_lock(&mmap_events->lock);
	fits = mmap_events->head - mmap_events->tail < NR_ENTRIES;
	if (fits)
		mmap_events->entries[mmap_events->head++ % NR_ENTRIES] = *entry;
	raw_spin_unlock(&mmap_events->lock);
	return fits;
}

static bool pop(struct pprof_mmap_events *mmap_events, struct entry *entry)
{
	bool any;

	raw_spin_lock_irq(&mmap_events->lock);
	any = mmap_events->head != mmap_events->tail;
	if (any)
		*entry = mmap_events->entries[mmap_events->tail++ % NR_ENTRIES];
	raw_spin_unlock_irq(&mmap_events->lock);
	return any;
}

static void fill_record(struct pprof_mmap *record, const struct mapping *mapping)
{
	const struct inode *inode = mapping->inode;

	record->ev = mapping->ev;
	record->start = mapping->start;
	record->end = mapping->end;
	record->offset = mapping->offset;
	record->ino = inode ? inode->i_ino : 0;
	record->dev_major = inode ? MAJOR(inode->i_sb->s_dev) : 0;
	record->dev_minor = inode ? MINOR(inode->i_sb->s_dev) : 0;
}

/* A walk ends at a new mapping until the reader has sent its table. So wake the reader at once. */
static void wake_reader(struct pprof_sink *sink, struct pprof_ring *ring)
{
	if (!sink->session_tables)
		return;
	pprof_ring_set_urgent(ring);
	pprof_wakeup(&sink->wakeup);
}

/* Context: interrupts off. */
static void write_record(struct pprof_mmap_events *mmap_events, const struct mapping *mapping,
			 const char *name)
{
	struct pprof_ring *ring = pprof_record_ring(mmap_events->sink);
	u32 name_bytes = ALIGN(strlen(name) + 1, 8);
	struct pprof_mmap *record = pprof_ring_reserve(ring, sizeof(*record) + name_bytes);

	pprof_ring_produced(ring, PPROF_CLASS_EVENT, 1);
	if (!record) {
		pprof_record_full(mmap_events->sink, PPROF_CLASS_EVENT, 1);
		return;
	}
	fill_record(record, mapping);
	record->ev.rec.size = sizeof(*record) + name_bytes;
	strscpy_pad(record->name, name, name_bytes);
	pprof_record_commit(mmap_events->sink, record);
	wake_reader(mmap_events->sink, ring);
}

static const char *path_of(struct pprof_mmap_events *mmap_events, struct file *file)
{
	const char *path =
		d_path(file_user_path(file), mmap_events->path, sizeof(mmap_events->path));

	return IS_ERR(path) ? "" : path;
}

static void write_entry(struct pprof_mmap_events *mmap_events, struct entry *entry)
{
	const char *name = entry->file ? path_of(mmap_events, entry->file) : entry->name;

	local_irq_disable();
	write_record(mmap_events, &entry->mapping, name);
	local_irq_enable();
	if (entry->file)
		fput(entry->file);
}

/*
 * Returns: false if there are more entries. A program can map faster than this finds paths: other
 * work must get its turn.
 */
static bool write_entries(struct pprof_mmap_events *mmap_events)
{
	struct entry entry;

	for (int i = 0; i < NR_ENTRIES; i++) {
		if (!pop(mmap_events, &entry))
			return true;
		write_entry(mmap_events, &entry);
		cond_resched();
	}
	return false;
}

/* Adds the time since @begin_ns to the debt, and sets the end of the cooldown. */
static void note_debt(struct pprof_mmap_events *mmap_events, u64 begin_ns)
{
	u64 idle_ns = begin_ns - mmap_events->done_ns;

	mmap_events->done_ns = ktime_get_ns();
	mmap_events->debt_ns -= min(mmap_events->debt_ns, idle_ns);
	mmap_events->debt_ns =
		min(mmap_events->debt_ns + mmap_events->done_ns - begin_ns, PPROF_MAX_COOLDOWN_NS);
	if (mmap_events->debt_ns >= MAX_DEBT_NS && !READ_ONCE(mmap_events->sink->trusted))
		WRITE_ONCE(mmap_events->cooldown_end_ns,
			   mmap_events->done_ns + mmap_events->debt_ns);
}

/* During a cooldown the work item queues itself for its end. A kick does not change that. */
static void drain(struct work_struct *work)
{
	struct pprof_mmap_events *mmap_events =
		container_of(work, struct pprof_mmap_events, work.work);
	unsigned long rest = pprof_cooldown_jiffies(mmap_events->cooldown_end_ns);
	u64 begin_ns = ktime_get_ns();

	if (rest && !READ_ONCE(mmap_events->flushing)) {
		queue_delayed_work(system_dfl_wq, &mmap_events->work, rest);
		return;
	}
	if (!write_entries(mmap_events))
		queue_delayed_work(system_dfl_wq, &mmap_events->work, 0);
	note_debt(mmap_events, begin_ns);
}

static void kick(struct irq_work *kick)
{
	struct pprof_mmap_events *mmap_events = container_of(kick, struct pprof_mmap_events, kick);

	queue_delayed_work(system_dfl_wq, &mmap_events->work, 0);
}

/*
 * The same as arch_vma_name() does for /proc/PID/maps. mm->context.vdso is rejected: it is set
 * after this.
 */
static const char *name_of_memory(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	return name ? name : "";
}

static void note_overflow(struct pprof_mmap_events *mmap_events)
{
	struct pprof_ring *ring = pprof_record_ring(mmap_events->sink);

	pprof_ring_produced(ring, PPROF_CLASS_EVENT, 1);
	pprof_ring_lost(ring, PPROF_CLASS_EVENT, PPROF_LOST_QUEUE, 1);
}

/* Context: interrupts off. The mmap lock is held, so the vma and its file stay. */
static void note_mapping(struct pprof_mmap_events *mmap_events, struct vm_area_struct *vma)
{
	struct entry entry = { .file = vma->vm_file };

	pprof_record_open(&entry.mapping.ev, mmap_events->sink->target->ns, current, PPROF_REC_MMAP,
			  ktime_get_mono_fast_ns());
	entry.mapping.start = vma->vm_start;
	entry.mapping.end = vma->vm_end;
	if (entry.file) {
		entry.mapping.offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		entry.mapping.inode = file_user_inode(entry.file);
		get_file(entry.file);
	} else {
		entry.name = name_of_memory(vma);
	}
	if (push(mmap_events, &entry)) {
		irq_work_queue(&mmap_events->kick);
		return;
	}
	if (entry.file)
		fput(entry.file);	/* not the last reference: the vma has one */
	note_overflow(mmap_events);
}

/* The vDSO of a 32-bit process has the same name, and is below 4 GiB. */
static bool is_vdso(struct vm_area_struct *vma)
{
	return vma->vm_start >= SZ_4G && !strcmp(name_of_memory(vma), "[vdso]");
}

/* As is_exec_mapping() in mm/internal.h: are the pages part of exec_vm? */
static bool is_counted(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_WRITE | VM_STACK));
}

/*
 * Gives the process its new range, if the session has the table of the file. Other memory that the
 * kernel makes itself has a zeroed identity, which is that of no file.
 *
 * Another CPU may remove the target meanwhile, and drops its ranges then. It clears the bit first.
 * Context: as for note_mapping().
 */
static void bind_mapping(struct pprof_sink *sink, struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
	u64 offset = inode ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0;
	const struct pprof_process_range range = {
		.start = vma->vm_start, .end = vma->vm_end, .bias = vma->vm_start - offset,
	};
	bool is_special = !inode && vma->vm_ops && vma->vm_ops->name;
	struct pprof_file_identity id = { 0 };

	if (inode)
		pprof_file_identity_get(&id, inode);
	else if (is_special && is_vdso(vma))
		id = PPROF_VDSO_IDENTITY;
	pprof_session_tables_map(sink->session_tables, current->tgid, pprof_exec_id(current),
				 &range, inode || is_special ? &id : NULL, is_counted(vma));
	if (!pprof_target_has(sink->target, current))
		pprof_session_tables_drop(sink->session_tables, current->tgid, 0);
}

/*
 * Must the session not see the mapping? A new reader of /proc/PID/maps would be refused as well.
 *
 * An exec maps a setuid program before the hook at its end drops the target. By then execve() has
 * made the memory undumpable. An LSM alone may make a program secure (a profile of AppArmor). Its
 * mappings are reported, as perf reports them.
 */
static bool is_forbidden(const struct pprof_mmap_events *mmap_events)
{
	const struct pprof_sink *sink = mmap_events->sink;

	if (pprof_target_is_unchecked(sink->target, current->tgid) ||
	    !pprof_record_may_read(sink, current, current->mm))
		return true;
	return current->in_execve && !READ_ONCE(sink->trusted) &&
	       !pprof_is_dumpable(current, current->mm);
}

/*
 * The kernel itself reports new mappings by perf_event_mmap(vma): of mmap, execve, the vdso and
 * mprotect(PROT_EXEC). current->mm is that of the vma.
 */
static int probe_mmap(struct kprobe *probe, struct pt_regs *regs)
{
	struct pprof_mmap_events *mmap_events =
		container_of(probe, struct pprof_mmap_events, probe);
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long flags;

	if (!(vma->vm_flags & VM_EXEC) || !pprof_target_has(mmap_events->sink->target, current) ||
	    is_forbidden(mmap_events))
		return 0;
	local_irq_save(flags);
	if (mmap_events->sink->session_tables)
		bind_mapping(mmap_events->sink, vma);
	note_mapping(mmap_events, vma);
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(probe_mmap);

int pprof_mmap_events_new(struct pprof_sink *sink, struct pprof_mmap_events **mmap_events_out)
{
	struct pprof_mmap_events *mmap_events =
		kvzalloc(sizeof(*mmap_events), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	int err;

	if (!mmap_events)
		return -ENOMEM;
	mmap_events->sink = sink;
	mmap_events->probe.pre_handler = probe_mmap;
	raw_spin_lock_init(&mmap_events->lock);
	mmap_events->kick = IRQ_WORK_INIT_HARD(kick);
	INIT_DELAYED_WORK(&mmap_events->work, drain);
	err = pprof_mmap_probe_add(&mmap_events->probe);
	if (err) {
		kvfree(mmap_events);
		return err;
	}
	*mmap_events_out = mmap_events;
	return 0;
}

/*
 * Waits for the cooldown first. Otherwise a user could stop sources all the time, and get more than
 * half of a CPU for the work item. After the cooldown, one more run writes all that the queue can
 * hold.
 */
void pprof_mmap_events_flush(struct pprof_mmap_events *mmap_events)
{
	pprof_cooldown(READ_ONCE(mmap_events->cooldown_end_ns));
	irq_work_sync(&mmap_events->kick);
	WRITE_ONCE(mmap_events->flushing, true);
	mod_delayed_work(system_dfl_wq, &mmap_events->work, 0);
	flush_delayed_work(&mmap_events->work);
	WRITE_ONCE(mmap_events->flushing, false);
}

void pprof_mmap_events_free(struct pprof_mmap_events *mmap_events)
{
	bool removed;

	if (!mmap_events)
		return;
	removed = pprof_mmap_probe_del(&mmap_events->probe);
	pprof_mmap_events_flush(mmap_events);
	cancel_delayed_work_sync(&mmap_events->work);	/* it may have queued itself for nothing */
	if (removed)
		kvfree_rcu(mmap_events, rcu);	/* as pprof_session_free() does */
}
