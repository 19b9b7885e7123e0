/* SPDX-License-Identifier: GPL-2.0 */
/* From user registers to a user stack, by frame pointers. */
#ifndef PPROF_UNWIND_FP_H
#define PPROF_UNWIND_FP_H

#include "unwind/stack.h"

/*
 * Walks the current task's user stack from @regs into @stack, whose frames and
 * max are set. Never faults pages in, never sleeps, reads 16 bytes of user
 * memory a frame; any context with current's mm loaded.
 */
void pprof_unwind_fp(struct pprof_stack *stack, const struct pprof_regs *regs);

#endif
