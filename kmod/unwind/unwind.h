/* SPDX-License-Identifier: GPL-2.0 */
/* From user registers to a user stack, by the rules of unwind tables. */
#ifndef PPROF_UNWIND_H
#define PPROF_UNWIND_H

#include "unwind/rule_cache.h"
#include "unwind/process_ranges.h"
#include "unwind/stack.h"

/*
 * Walks the current task's user stack from @regs into @stack, whose frames and
 * max are set. @space is NULL while nothing is known of the process. Never
 * faults pages in, never sleeps, reads at most 3 words of user memory a frame.
 * Interrupts are off, current's mm is loaded, @cache is this CPU's.
 */
void pprof_unwind(struct pprof_stack *stack, const struct pprof_regs *regs,
		  const struct pprof_space *space, struct pprof_rulecache *cache);

#endif
