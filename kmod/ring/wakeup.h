/* SPDX-License-Identifier: GPL-2.0 */
/* Wakes the readers of a session's rings from any hook or interrupt. */
#ifndef PPROF_WAKEUP_H
#define PPROF_WAKEUP_H

#include <linux/irq_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct pprof_wakeup {
	struct irq_work irq;
	struct work_struct work;	/* used on PREEMPT_RT */
	wait_queue_head_t readers;
};

/*
 * Initializes @wakeup, which the caller owns.
 * Context: any, before @wakeup is used.
 */
void pprof_wakeup_init(struct pprof_wakeup *wakeup);

/*
 * Waits until no wake-up is on its way. No code may call pprof_wakeup() any more.
 *
 * The caller frees the memory an RCU grace period later. On PREEMPT_RT the interrupt reads the
 * flags of an irq_work once more, when irq_work_sync() may already have returned.
 * Sleeps.
 */
void pprof_wakeup_fini(struct pprof_wakeup *wakeup);

/*
 * Wakes the readers soon.
 * Context: any but NMI.
 */
static inline void pprof_wakeup(struct pprof_wakeup *wakeup)
{
	irq_work_queue(&wakeup->irq);
}

#endif
