/* SPDX-License-Identifier: GPL-2.0 */
/* Current's calls that uprobes await, as the kernel lists them, and as they are. */
#ifndef PPROF_PENDING_H
#define PPROF_PENDING_H

#include <linux/types.h>

struct return_instance;

/*
 * Whether @call of current's list still awaits its return: longjmp() leaves without
 * one. What is not in memory now may. Any context of current's own.
 */
bool pprof_pending(const struct return_instance *call);

/*
 * Does a call wait that is further down in memory than @sp? Then it is on another stack,
 * of what a signal interrupted. The kernel takes it for left as soon as one up here is
 * awaited, and ends the program when it returns, unless it gets its address back.
 */
bool pprof_pending_below(u64 sp);

/*
 * The call, or all below @sp, get their return addresses back if they are pending, as
 * if nobody awaited them. The kernel finds out as after a longjmp(). May fault, and so
 * sleep: this may be a part of the stack that was not touched for long.
 */
void pprof_pending_reveal(const struct return_instance *call);
void pprof_pending_reveal_below(u64 sp);

#endif
