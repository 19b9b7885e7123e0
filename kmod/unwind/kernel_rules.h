/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of rules for the frames of the kernel, by address. A step of the kernel's unwinder takes
 * some 400 instructions. A step by a rule of the cache takes less than 30.
 *
 * It has rules of the kernel's own image, which never change. Code of modules and BPF programs may
 * make room for other code, and is left to the unwinder.
 */
#ifndef PPROF_KERNEL_RULES_H
#define PPROF_KERNEL_RULES_H

#include <linux/types.h>

struct pt_regs;

/* The new rules that one walk may find: each takes some 2,000 instructions. */
#define PPROF_KERNEL_RULES_A_WALK	8

/*
 * Makes the caches, 8 KiB a CPU.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_kernel_rules_init(void);

/* Frees the caches. No walk is left. Sleeps. */
void pprof_kernel_rules_exit(void);

/*
 * Walks the stack of current, from the code that an interrupt stopped to the code that user space
 * entered. Writes at most @max frames, leaf first.
 * Returns: their number; or 0 if a rule is missing, and the unwinder must do it.
 * Context: interrupts off. Does not sleep.
 */
u32 pprof_kernel_rules_walk(struct pt_regs *regs, u64 *frames, u32 max);

/*
 * Keeps the rule of a caller that the unwinder has found. Other return addresses must not be given:
 * a stack may have the address of a trampoline in place of the caller's.
 * Returns: true if the rule was not in the cache yet.
 * Context: interrupts off. Does not sleep.
 */
bool pprof_kernel_rules_learn(unsigned long return_address);

#endif
