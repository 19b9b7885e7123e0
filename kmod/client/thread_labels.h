/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads have labels, and which they have. */
#ifndef PPROF_LABELLED_H
#define PPROF_LABELLED_H

#include <linux/compiler.h>
#include <linux/sched.h>

#include <asm/barrier.h>

#include "client/label_sets.h"

/*
 * A process whose threads have labels: its sets, and the words that tell which
 * thread has which. User space may write anything into the words, at any time.
 */
struct pprof_labelled;

/* Threads that have a word: read by pprof_labelled_any() alone. */
extern u32 pprof_labelled_nr;

/*
 * Has any thread of the machine labels? All samples pay for asking, and nothing more
 * while there are none.
 */
static inline bool pprof_labelled_any(void)
{
	return unlikely(smp_load_acquire(&pprof_labelled_nr));	/* with set_slot() */
}

/*
 * The set of @task, once there is any; NULL: it has no labels. Interrupts are off, and
 * the set is there until they are on. @task is current, or on no CPU: should it have
 * come to one meanwhile, this may not be its set.
 */
const struct pprof_label_set *pprof_labelled_find(const struct task_struct *task);

/*
 * current's process, whose memory gets the words. What it holds is taken from @quota,
 * of which it has a reference; who has CAP_PERFMON now has all words of a process,
 * others their user's share. May sleep, and takes the mmap lock. -ENOSPC of the
 * quota, -ENOMEM, and errors of mmap() and of tracepoints.
 */
int pprof_labelled_new(struct pprof_quota *quota, struct pprof_labelled **labelled);

/* Its threads have no labels any more; nobody calls anything else for it. May sleep. */
void pprof_labelled_end(struct pprof_labelled *labelled);

/* See PPROF_IOC_LABEL; @label is valid. May sleep; the caller serializes calls. */
int pprof_labelled_add(struct pprof_labelled *labelled, struct pprof_label *label);

/*
 * See PPROF_IOC_LABEL_WORD; current is of its process, and gets a word if it has none.
 * -ENOSPC: there is no place for it, or its user's share is used up.
 */
int pprof_labelled_word(struct pprof_labelled *labelled, struct pprof_label_word *word);

/* Nobody has labels any more, and nobody looks: removes probes, and frees all. May sleep. */
void pprof_labelled_exit(void);

#endif
