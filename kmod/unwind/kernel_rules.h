/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of unwind rules for frames of the kernel, by address. A step of the kernel's own unwinder
 * takes some 400 instructions. A step by a rule of the cache takes less than 30.
 *
 * The cache has rules for the image of the kernel alone, which never change. Modules and BPF
 * programs can be unloaded, and other code can take their addresses. Stacks with such code are left
 * to the unwinder.
 */
#ifndef PPROF_KERNEL_RULES_H
#define PPROF_KERNEL_RULES_H

#include <linux/types.h>

struct pt_regs;

/* Limit of rules that one walk may add. To find a rule takes some 2,000 instructions. */
#define PPROF_KERNEL_RULES_A_WALK	8

/*
 * Allocates a cache of 8 KiB for each CPU. Call this once, when the module is loaded.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_kernel_rules_init(void);

/* Frees the caches, when no walk can begin any more. Sleeps. */
void pprof_kernel_rules_exit(void);

/*
 * Walks the kernel stack of current, from the interrupted code to the entry from user space. @regs
 * are the registers that the interrupt saved, in kernel mode. Writes at most @max addresses, leaf
 * first. Adds a rule for the interrupted code to the cache, if it has none.
 * Returns: the number of addresses of a complete stack; or 0 if a rule is missing, or the stack has
 * more than @max frames. Then the kernel's unwinder must walk it.
 * Context: interrupts off. Does not sleep.
 */
u32 pprof_kernel_rules_walk(struct pt_regs *regs, u64 *frames, u32 max);

/*
 * Finds the rule of a caller, and adds it to the cache. @return_address must be one that the
 * kernel's unwinder has returned. A word read from the stack must not be passed: it may be the
 * address of a trampoline, which replaces the caller's.
 * Returns: true if a rule was added; false if the cache has it, or the address is not in the image.
 * Context: interrupts off. Does not sleep.
 */
bool pprof_kernel_rules_learn(unsigned long return_address);

#endif
