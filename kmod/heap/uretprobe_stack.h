/* SPDX-License-Identifier: GPL-2.0 */
/* Current's calls with a uretprobe: the kernel's list, and the real state of the stack. */
#ifndef PPROF_URETPROBE_STACK_H
#define PPROF_URETPROBE_STACK_H

#include <linux/types.h>

#include "base/uretprobe.h"

/*
 * Is the uretprobe of @call, of current's list, still on the stack? longjmp() leaves a function
 * without a return. True also if that page of the stack is not in memory now.
 * Context: any in which current's mm is loaded.
 */
bool pprof_uretprobe_stack_has(const struct return_instance *call);

/*
 * Does a call below @sp have a uretprobe? Such a call is on another stack, which a signal
 * interrupted. When a call above gets a uretprobe, the kernel assumes that the thread has left the
 * call below. When the call below returns, the kernel ends the program, unless the return address
 * was put back.
 * Context: any in which current's mm is loaded.
 */
bool pprof_uretprobe_stack_has_below(u64 sp);

/*
 * Put the return address of @call, or of all calls below @sp, back onto the stack, if they still
 * have a uretprobe. The kernel then treats the call as one that longjmp() has left.
 * Sleeps: the part of the stack may not be in memory.
 */
void pprof_uretprobe_stack_restore(const struct return_instance *call);
void pprof_uretprobe_stack_restore_below(u64 sp);

#endif
