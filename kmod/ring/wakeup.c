// SPDX-License-Identifier: GPL-2.0
#include "ring/wakeup.h"

#include <linux/kernel.h>

static void wake_readers(struct irq_work *irq)
{
	wake_up_interruptible(&container_of(irq, struct pprof_wakeup, irq)->readers);
}

static void wake_readers_by_work(struct work_struct *work)
{
	wake_up_interruptible(&container_of(work, struct pprof_wakeup, work)->readers);
}

static void queue_work_of(struct irq_work *irq)
{
	queue_work(system_dfl_wq, &container_of(irq, struct pprof_wakeup, irq)->work);
}

/*
 * On PREEMPT_RT an interrupt must not take the lock of a wait queue. The kernel runs irq_works that
 * are not HARD in a thread of each CPU there. That is rejected:
 * - The thread waits until real-time programs leave the CPU.
 * - It is parked while a CPU that goes offline still runs programs.
 * - It may read an irq_work after irq_work_sync() has returned (CVE-2026-64073).
 *
 * So an interrupt queues a work item, which any CPU may run.
 */
void pprof_wakeup_init(struct pprof_wakeup *wakeup)
{
	init_waitqueue_head(&wakeup->readers);
	INIT_WORK(&wakeup->work, wake_readers_by_work);
	wakeup->irq = IS_ENABLED(CONFIG_PREEMPT_RT) ? IRQ_WORK_INIT_HARD(queue_work_of) :
						      IRQ_WORK_INIT(wake_readers);
}

void pprof_wakeup_fini(struct pprof_wakeup *wakeup)
{
	irq_work_sync(&wakeup->irq);
	cancel_work_sync(&wakeup->work);
}
