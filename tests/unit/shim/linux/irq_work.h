/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_IRQ_WORK_H
#define SHIM_IRQ_WORK_H

struct irq_work {
	void (*func)(struct irq_work *work);
};

#define IRQ_WORK_INIT_HARD(function)	((struct irq_work) { function })

/* The work runs at once, in place of the interrupt. */
#define irq_work_queue(work)	((work)->func(work))
#define irq_work_sync(work)	((void)(work))

#endif
