/* SPDX-License-Identifier: GPL-2.0 */
/* Walks a user stack by the rules of unwind tables. */
#ifndef PPROF_UNWIND_H
#define PPROF_UNWIND_H

#include "unwind/known_stack.h"
#include "unwind/rule_cache.h"
#include "unwind/process_ranges.h"
#include "unwind/stack.h"

/*
 * Walks current's user stack from @regs. The caller sets frames and max of @stack, and owns the
 * memory of frames. @process has the ranges of the process, or is NULL. @cache and @known are this
 * CPU's. The walk faults no page in. It reads at most 3 words of user memory a frame, and one more
 * where a uretprobe is possible. If the frames that it shares with @known have changed, it reads
 * the words of these once more.
 * Context: interrupts off, current's mm loaded. Does not sleep.
 */
void pprof_unwind(struct pprof_stack *stack, const struct pprof_regs *regs,
		  const struct pprof_process_ranges *process, struct pprof_rule_cache *cache,
		  struct pprof_known_stack *known);

#endif
