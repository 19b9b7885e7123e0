// SPDX-License-Identifier: GPL-2.0
#include "unwind/kernel_stack.h"

#include <linux/hardirq.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <asm/irq_regs.h>

#include "arch/kernel_unwind.h"
#include "base/compat.h"
#include "unwind/kernel_rules.h"

/* Has the walk come to user code? That is the only good end, but for a thread that never left. */
static bool is_complete(struct unwind_state *state)
{
	struct pt_regs *regs = pprof_arch_interrupted(state);

	return unwind_done(state) ? !unwind_error(state) : regs && user_mode(regs);
}

/*
 * Adds frames to the @nr that are there. Keeps up to @nr_rules rules for them. Code that an
 * interrupt stopped is no caller. Below the leaf its frame is the address plus 1: the byte before
 * is in its function, as before a return address.
 */
static u32 walk(struct unwind_state *state, u64 *frames, u32 nr, u32 max, int nr_rules)
{
	unsigned long address;
	bool is_caller;

	for (; !unwind_done(state); unwind_next_frame(state)) {
		address = unwind_get_return_address(state);
		if (!address || nr == max)
			break;
		is_caller = !nr || !pprof_arch_interrupted(state);
		if (nr_rules && is_caller)
			nr_rules -= pprof_kernel_rules_learn(address);
		frames[nr++] = is_caller ? address : address + 1;
	}
	if (is_complete(state))
		return nr;
	nr -= nr == max;
	frames[nr] = 0;
	return nr + 1;
}

/* Passes the frames of the interrupt in which this runs. */
static void leave_interrupt(struct unwind_state *state)
{
	while (!unwind_done(state) && !pprof_arch_interrupted(state))
		unwind_next_frame(state);
}

static void leave_module(struct unwind_state *state)
{
	while (!unwind_done(state) &&
	       within_module(unwind_get_return_address(state), THIS_MODULE))
		unwind_next_frame(state);
}

/* Timers know the registers. To begin there saves the walk of the interrupt itself. */
static u32 walk_interrupted(struct pt_regs *regs, u64 *frames, u32 max)
{
	struct unwind_state state;
	u32 nr;

	if (user_mode(regs))
		return 0;
	nr = pprof_kernel_rules_walk(regs, frames, max);
	if (likely(nr))
		return nr;
	frames[0] = instruction_pointer(regs);
	unwind_start(&state, current, regs, NULL);
	/*
	 * Interrupted code has a caller. 6.1 takes code without a rule, as the thunks of
	 * retpolines, for the good end of a stack.
	 */
	state.error |= unwind_done(&state);
	return walk(&state, frames, 1, max, PPROF_KERNEL_RULES_A_WALK);
}

u32 pprof_kernel_stack_here(u64 *frames, u32 max)
{
	struct pt_regs *regs = in_hardirq() ? get_irq_regs() : NULL;
	struct unwind_state state;

	if (regs)
		return walk_interrupted(regs, frames, max);
	unwind_start(&state, current, NULL, NULL);
	if (in_hardirq())
		leave_interrupt(&state);
	else
		leave_module(&state);
	return walk(&state, frames, 0, max, 0);
}

u32 pprof_kernel_stack_of(struct task_struct *task, u64 *frames, u32 max)
{
	struct unwind_state state;

	unwind_start(&state, task, NULL, NULL);
	return walk(&state, frames, 0, max, 0);
}
