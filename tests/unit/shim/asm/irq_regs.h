/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_IRQ_REGS_H
#define SHIM_IRQ_REGS_H

#define get_irq_regs()	((struct pt_regs *)NULL)

#endif
