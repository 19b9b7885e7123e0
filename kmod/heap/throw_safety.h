/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls with a uretprobe that a C++ exception could pass. The exception does not find the caller
 * there, and ends the program. Return addresses are put back in time.
 */
#ifndef PPROF_THROW_SAFETY_H
#define PPROF_THROW_SAFETY_H

#include "heap/allocator_calls.h"

/*
 * Puts return addresses back: before a throw, those of this source; on another stack, those of all
 * users of uprobes. Current is at a uprobe of @function, with the stack pointer @sp.
 * Sleeps: the part of the stack may not be in memory.
 */
void pprof_heap_restore_returns(const struct pprof_heap_source *heap, u32 function, u64 sp);

/*
 * Waits for calls that may throw, while no new one gets a uretprobe. The wait has a bound.
 * Context: the worker of uprobes. Sleeps.
 */
void pprof_heap_settle(struct pprof_uprobes *uprobes);

#endif
