/* SPDX-License-Identifier: GPL-2.0 */
/* A function to set a uprobe on. The folder of each CPU has its probed_call.c. */
#ifndef COLLECTOR_ARCH_PROBED_CALL_H
#define COLLECTOR_ARCH_PROBED_CALL_H

/*
 * Does nothing. Functions such as malloc() begin with the same instruction, and the kernel emulates
 * it after a hit of a uprobe. So a hit costs as much as in an allocator.
 */
void arch_probed_call(void);

#endif /* COLLECTOR_ARCH_PROBED_CALL_H */
