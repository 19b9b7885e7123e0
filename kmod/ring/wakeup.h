/* SPDX-License-Identifier: GPL-2.0 */
/* How who reads a session's rings is woken, from any hook or interrupt. */
#ifndef PPROF_WAKEUP_H
#define PPROF_WAKEUP_H

#include <linux/irq_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct pprof_wakeup {
	struct irq_work irq;
	struct work_struct work;	/* on PREEMPT_RT */
	wait_queue_head_t readers;
};

void pprof_wakeup_init(struct pprof_wakeup *wakeup);

/*
 * When it returns none is on its way; nobody may call pprof_wakeup() any more. The
 * memory goes a grace period later: on PREEMPT_RT the interrupt reads an irq_work's
 * flags once more when irq_work_sync() may have seen it done. May sleep.
 */
void pprof_wakeup_fini(struct pprof_wakeup *wakeup);

/* Wakes the readers, soon. Any context but NMI. */
static inline void pprof_wakeup(struct pprof_wakeup *wakeup)
{
	irq_work_queue(&wakeup->irq);
}

#endif
