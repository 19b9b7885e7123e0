/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_KERNEL_UNWIND_H
#define PPROF_ARCH_X86_KERNEL_UNWIND_H

#include <linux/ptrace.h>

#include <asm/unwind.h>

/*
 * Kernels from 5.10 on export the unwinder itself to modules. The functions above it would do, but
 * no kernel exports stack_trace_save_regs(), and 6.1 does not export stack_trace_save_tsk().
 */

/* Does the unwinder know the frames? Without ORC tables and frame pointers it guesses. */
static inline bool pprof_arch_knows_kernel_frames(void)
{
#ifdef CONFIG_UNWINDER_GUESS
	return false;
#else
	return true;
#endif
}

/*
 * Returns the registers that an interrupt or a system call saved, if @state has just reached the
 * code that it interrupted; else NULL. Of some only the ip, cs, flags, sp and ss are valid.
 */
static inline struct pt_regs *pprof_arch_interrupted(struct unwind_state *state)
{
	return unwind_get_entry_regs(state, NULL);
}

#endif
