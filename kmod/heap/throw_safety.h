/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts return addresses back that uretprobes replaced, before a C++ exception passes their calls.
 * Otherwise the exception does not find the caller, and ends the program.
 */
#ifndef PPROF_THROW_SAFETY_H
#define PPROF_THROW_SAFETY_H

#include "heap/allocator_calls.h"

/*
 * Puts return addresses back at the uprobe of @function:
 * - NEW_HANDLER, which comes before a throw: of all calls with a uretprobe of this source.
 * - Another function with a uretprobe: of the calls below @sp, the stack pointer. They are on
 *   another stack. Here the uretprobes of other users are included.
 * Context: current is at the uprobe.
 * Sleeps: the part of the stack may not be in memory.
 */
void pprof_heap_restore_returns(const struct pprof_heap_source *heap, u32 function, u64 sp);

/*
 * Waits for the calls that may throw and have a uretprobe, 2 s at most. No new call gets one.
 * Context: the worker of uprobes. Sleeps.
 */
void pprof_heap_settle(struct pprof_uprobes *uprobes);

#endif
