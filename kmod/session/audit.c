// SPDX-License-Identifier: GPL-2.0
#include "session/audit.h"

#include <asm/barrier.h>
#include <linux/cred.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <trace/events/task.h>

#include "base/compat.h"
#include "base/tracepoints.h"
#include "record/record.h"

#define RING_BYTES	SZ_1M	/* over 900 reports with the deepest stacks */
#define MAX_FRAMES	PPROF_DEFAULT_FRAMES

/*
 * One ring for all CPUs, with a lock. So reports leave in the order of their numbers, and a gap is
 * a loss. The creation of a thread costs some 20 times as much as the lock. Under the lock a record
 * is only copied. A stack is not walked under it: a process can make that slow, and all other CPUs
 * would wait with interrupts off. So each CPU makes its records in memory of its own, of 1.1 KiB.
 */
static struct {
	struct pprof_audit_record __percpu *made;	/* by CPU; used there with interrupts off */
	raw_spinlock_t lock;	/* of the producers: irq-safe; guards seq and ring */
	u64 seq;
	struct pprof_ring ring;
	struct pprof_ring_head head_page;
	struct pprof_ring_tail tail_page;	/* used by the work item */
	void *data;
	struct irq_work kick;
	struct work_struct work;
	pprof_audit_report_t *report;

	struct mutex listeners_lock;	/* guards the two fields below, and the hook */
	u32 nr_listeners;
	u32 nr_want_stacks;	/* the hook reads it without the lock */
} audit;

static void make_record(struct pprof_audit_record *record, u32 new_tid)
{
	struct pprof_sample_info info = {
		.source = PPROF_SOURCE_THREADCREATE, .weight = 1, .arg = new_tid,
	};

	record->uid = from_kuid(&init_user_ns, current_uid());
	record->has_stack = READ_ONCE(audit.nr_want_stacks) > 0;
	pprof_record_fill_sample(&record->sample, &init_pid_ns, NULL,
				 record->has_stack ? MAX_FRAMES : 1, &info);
	record->rec.type = PPROF_REC_SAMPLE;
	record->rec.size = offsetof(struct pprof_audit_record, sample) +
			   record->sample.ev.rec.size;
}

/* Locks: audit.lock is held, so that times rise with the numbers. */
static void append_record(struct pprof_audit_record *made)
{
	struct pprof_audit_record *record = pprof_ring_reserve(&audit.ring, made->rec.size);

	made->seq = ++audit.seq;
	made->sample.ev.time_ns = ktime_get_mono_fast_ns();
	if (!record)
		return;
	memcpy(record, made, made->rec.size);
	pprof_ring_commit(&audit.ring, &record->rec);
}

static void probe_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
	struct pprof_audit_record *made;
	unsigned long flags;

	if (!pprof_is_user_thread(task, clone_flags))
		return;
	local_irq_save(flags);
	made = this_cpu_ptr(audit.made);
	make_record(made, task->pid);
	raw_spin_lock(&audit.lock);
	append_record(made);
	raw_spin_unlock(&audit.lock);
	local_irq_restore(flags);
	irq_work_queue(&audit.kick);
}

static void kick(struct irq_work *work)
{
	queue_work(system_dfl_wq, &audit.work);
}

/* The reader's half of the ring: barriers C and D of uapi/pprof.h. */
static void drain(struct work_struct *work)
{
	u64 head = smp_load_acquire(&audit.head_page.head);	/* C */
	u64 tail = audit.tail_page.tail;
	const struct pprof_record *record;

	while (tail != head) {
		record = audit.data + (tail & (RING_BYTES - 1));
		if (record->type != PPROF_REC_PAD)
			audit.report((const struct pprof_audit_record *)record);
		tail += record->size;
		smp_store_release(&audit.tail_page.tail, tail);	/* D */
	}
}

static void free_memory(void)
{
	vfree(audit.data);
	free_percpu(audit.made);
}

static int alloc_memory(void)
{
	audit.data = __vmalloc(RING_BYTES, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	audit.made = __alloc_percpu_gfp(struct_size(audit.made, sample.frames, MAX_FRAMES),
					__alignof__(*audit.made), GFP_KERNEL | __GFP_NOWARN);
	if (audit.data && audit.made)
		return 0;
	free_memory();
	return -ENOMEM;
}

static int start(void)
{
	int err = alloc_memory();

	check_trace_callback_type_task_newtask(probe_newtask);
	if (err)
		return err;
	memset(&audit.head_page, 0, sizeof(audit.head_page));
	memset(&audit.tail_page, 0, sizeof(audit.tail_page));
	pprof_ring_init(&audit.ring, &audit.head_page, &audit.tail_page, audit.data, RING_BYTES,
			0);
	err = pprof_tracepoint_add(PPROF_TRACEPOINT_NEWTASK, probe_newtask, &audit);
	if (err)
		free_memory();
	return err;
}

/* In this order: the hook, the work on its way, the memory. */
static void stop(void)
{
	pprof_tracepoint_del(PPROF_TRACEPOINT_NEWTASK, probe_newtask, &audit);
	tracepoint_synchronize_unregister();
	irq_work_sync(&audit.kick);
	flush_work(&audit.work);
	free_memory();
}

void pprof_audit_init(pprof_audit_report_t *report)
{
	raw_spin_lock_init(&audit.lock);
	audit.kick = IRQ_WORK_INIT_HARD(kick);	/* HARD: see ring/wakeup.c */
	INIT_WORK(&audit.work, drain);
	mutex_init(&audit.listeners_lock);
	audit.report = report;
}

int pprof_audit_get(bool stacks)
{
	int err = 0;

	mutex_lock(&audit.listeners_lock);
	if (!audit.nr_listeners)
		err = start();
	if (!err) {
		audit.nr_listeners++;
		WRITE_ONCE(audit.nr_want_stacks, audit.nr_want_stacks + stacks);
	}
	mutex_unlock(&audit.listeners_lock);
	return err;
}

/* Queues the work item itself: a report gets its number a moment before its irq_work is queued. */
u64 pprof_audit_flush(void)
{
	u64 seq;

	mutex_lock(&audit.listeners_lock);
	raw_spin_lock_irq(&audit.lock);
	seq = audit.seq;
	raw_spin_unlock_irq(&audit.lock);
	if (audit.nr_listeners) {
		queue_work(system_dfl_wq, &audit.work);
		flush_work(&audit.work);
	}
	mutex_unlock(&audit.listeners_lock);
	return seq;
}

void pprof_audit_put(bool stacks)
{
	mutex_lock(&audit.listeners_lock);
	WRITE_ONCE(audit.nr_want_stacks, audit.nr_want_stacks - stacks);
	if (!--audit.nr_listeners)
		stop();
	mutex_unlock(&audit.listeners_lock);
}
