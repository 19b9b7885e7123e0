/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads have labels, and which set each of them has. */
#ifndef PPROF_LABELLED_H
#define PPROF_LABELLED_H

#include <linux/compiler.h>
#include <linux/sched.h>

#include <asm/barrier.h>

#include "client/label_sets.h"

/*
 * A process whose threads have labels: its sets, and the label page with the word of each thread.
 * User space may write any value into a word, at any time.
 */
struct pprof_labelled;

/* Threads that have a word. Only pprof_labelled_any() reads it. */
extern u32 pprof_labelled_nr;

/*
 * Has any thread on the machine labels? Each sample pays for this test alone while there are none.
 * Context: any.
 */
static inline bool pprof_labelled_any(void)
{
	return unlikely(smp_load_acquire(&pprof_labelled_nr));	/* pairs with set_slot() */
}

/*
 * Returns the label set of @task, or NULL: no labels. @task is current, or is on no CPU. If it has
 * come to a CPU meanwhile, the result may not be its set. The caller has seen pprof_labelled_any().
 * Context: interrupts off. The set is valid until they are on again.
 */
const struct pprof_label_set *pprof_labelled_find(const struct task_struct *task);

/*
 * Makes the labels of current's process, and maps the label page. The memory is charged to @quota,
 * which gets one more reference. With CAP_PERFMON the process may use all words. Without it, the
 * user's share bounds the number of threads.
 * Locks: takes the mmap lock.
 * Returns: 0, or an error.
 * - -ENOSPC: over the quota.
 * - -ENOMEM, and the errors of mmap() and of tracepoints.
 * Sleeps.
 */
int pprof_labelled_new(struct pprof_quota *quota, struct pprof_labelled **labelled);

/*
 * Takes the labels from all threads of the process, and frees @labelled after a grace period. The
 * caller must not use it any more.
 * Sleeps.
 */
void pprof_labelled_end(struct pprof_labelled *labelled);

/*
 * Does PPROF_IOC_LABEL. @label is valid. See pprof_labels_add() for the errors.
 * Locks: the caller serializes calls.
 * Sleeps.
 */
int pprof_labelled_add(struct pprof_labelled *labelled, struct pprof_label *label);

/*
 * Does PPROF_IOC_LABEL_WORD for current, which is a thread of this process. Gives it a word if it
 * has none.
 * Returns: 0, or -ENOSPC: no free word or slot, or the user's share is used up.
 * Context: process context. Does not sleep.
 */
int pprof_labelled_word(struct pprof_labelled *labelled, struct pprof_label_word *word);

/*
 * Removes the probes and frees all. No process has labels, and no reader is left.
 * Sleeps.
 */
void pprof_labelled_exit(void);

#endif
