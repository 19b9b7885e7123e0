/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads have labels, and which set each of them has. */
#ifndef PPROF_THREAD_LABELS_H
#define PPROF_THREAD_LABELS_H

#include <linux/compiler.h>
#include <linux/sched.h>

#include <asm/barrier.h>

#include "client/label_sets.h"

/*
 * A process whose threads have labels: its sets, and the label page with the slot of each thread.
 * User space may write any value into a slot, at any time.
 */
struct pprof_thread_labels;

/* The number of threads that have a slot. Other files use pprof_thread_labels_any(). */
extern u32 pprof_thread_labels_nr;

/*
 * Does any thread on the machine have a slot for labels? While none does, labels cost each sample
 * only this test.
 * Context: any.
 */
static inline bool pprof_thread_labels_any(void)
{
	return unlikely(smp_load_acquire(&pprof_thread_labels_nr));	/* pairs with set_slot() */
}

/*
 * Returns the label set of @task, or NULL: no labels. @task is current, or is on no CPU. If it has
 * come to a CPU meanwhile, the result may not be its set. The caller has seen
 * pprof_thread_labels_any().
 * Context: interrupts off. The set is valid until they are on again.
 */
const struct pprof_label_set *pprof_thread_labels_find(const struct task_struct *task);

/*
 * Makes the labels of current's process, and maps the label page. The memory is charged to @quota,
 * which gets one more reference. With CAP_PERFMON the process may use all slots. Without it, the
 * user's share bounds the number of threads.
 * Locks: takes the mmap lock.
 * Returns: 0, or an error.
 * - -ENOSPC: over the quota.
 * - -ENOMEM, and the errors of mmap() and of tracepoints.
 * Sleeps.
 */
int pprof_thread_labels_new(struct pprof_quota *quota, struct pprof_thread_labels **thread_labels);

/*
 * Takes the labels from all threads of the process, and frees @thread_labels after a grace period.
 * The caller must not use it any more.
 * Sleeps.
 */
void pprof_thread_labels_free(struct pprof_thread_labels *thread_labels);

/*
 * Does PPROF_IOC_LABEL. @label is valid. See pprof_label_sets_add() for the errors.
 * Locks: the caller serializes calls.
 * Sleeps.
 */
int pprof_thread_labels_add(struct pprof_thread_labels *thread_labels, struct pprof_label *label);

/*
 * Does PPROF_IOC_LABEL_SLOT for current, which is a thread of this process. Gives it a slot if it
 * has none.
 * Returns: 0, or -ENOSPC: no free slot, or the user's share is used up.
 * Context: process context. Does not sleep.
 */
int pprof_thread_labels_slot(struct pprof_thread_labels *thread_labels,
			     struct pprof_label_slot *out);

/*
 * Removes the probes and frees all memory. No process has labels any more, and no reader is left.
 * Sleeps.
 */
void pprof_thread_labels_exit(void);

#endif
