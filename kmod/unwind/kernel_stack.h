/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of the kernel: by which functions a thread is where it is. The kernel's own unwinder walks
 * them, so they are as right as the stacks in its log. Its rules are kept: see kernel_rules.h.
 */
#ifndef PPROF_KERNEL_STACK_H
#define PPROF_KERNEL_STACK_H

#include <linux/types.h>

#include "uapi/pprof.h"

struct task_struct;

/* The frames of a walk, as pprof_sample has them. */
struct pprof_kernel_stack {
	u32 nr;
	u64 frames[PPROF_MAX_KERNEL_FRAMES];
};

/*
 * Walks the stack of current. In a hard interrupt it begins at the interrupted instruction: there
 * are no frames if that was user code. Elsewhere it begins at the caller of this module.
 *
 * Writes at most @max frames, at least 1, leaf first. The last one is 0 if the walk did not reach
 * the code that user space entered.
 * Returns: the number of frames.
 * Context: interrupts off. Does not sleep.
 */
u32 pprof_kernel_stack_here(u64 *frames, u32 max);

/*
 * The same for @task, which is on no CPU. The stack begins where it left its CPU.
 * Context: @task cannot end meanwhile. Or the caller is in an RCU read section,
 * pprof_stacks_outlive_tasks() is true, and the caller drops the result if @task ran meanwhile.
 */
u32 pprof_kernel_stack_of(struct task_struct *task, u64 *frames, u32 max);

#endif
