/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of source HEAP, and how a call of an allocator's function becomes a sample. heap.c
 * has the hooks, and an overview.
 */
#ifndef PPROF_ALLOCATOR_CALLS_H
#define PPROF_ALLOCATOR_CALLS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "heap/live_objects.h"
#include "heap/pending_calls.h"
#include "heap/uprobes.h"
#include "record/record.h"
#include "source/stratified.h"

/* fls64() of a size below a period is below this, so it is an index of the classes. */
#define PPROF_HEAP_CLASSES	31

struct pprof_heap_strata {
	struct pprof_stratified classes[PPROF_HEAP_CLASSES];
};

struct pprof_heap_source {
	struct pprof_sink *sink;
	u32 period;	/* in bytes */
	struct pprof_heap_strata __percpu *strata;
	struct pprof_live live;
	struct pprof_pending_calls calls;
	struct pprof_uprobes uprobes;	/* last: it has a flexible array */
};

/* Does @function, PPROF_HEAP_*, have a uretprobe? */
static inline bool pprof_heap_has_uretprobe(u32 function)
{
	return function != PPROF_HEAP_FREE && function != PPROF_HEAP_NEW_HANDLER &&
	       function != PPROF_HEAP_NEW;
}

/* Can a C++ exception leave @function? */
static inline bool pprof_heap_may_throw(u32 function)
{
	return function >= PPROF_HEAP_NEW;
}

/*
 * Has the object's process ended, or called exec?
 * Context: any.
 */
bool pprof_heap_object_is_gone(const struct pprof_live_object *object);

/*
 * Context of the functions below: current is at a uprobe, interrupts off.
 *
 * pprof_heap_emit_free() writes the PPROF_REC_FREE of the object @number; 0: none. @exec_id is that
 * of the object: current's may differ.
 */
void pprof_heap_emit_free(struct pprof_heap_source *heap, u64 exec_id, u64 number);

/*
 * Ends a call whose result will not be known. Its sample counts as lost. If realloc() had taken a
 * live object, PPROF_REC_FREE is written for that.
 */
void pprof_heap_drop_call(struct pprof_heap_source *heap, const struct pprof_pending_call *call);

/* Removes current's pending call, as it will not return. Its sample counts as lost. */
void pprof_heap_give_up_call(struct pprof_heap_source *heap);

/* Handles the start of an allocation. Returns: does this source need its return? */
bool pprof_heap_begin_alloc(struct pprof_heap_source *heap, u32 function, struct pt_regs *regs);

/* Handles the return of @call, whose entry is removed. */
void pprof_heap_end_alloc(struct pprof_heap_source *heap, const struct pprof_pending_call *call,
			  struct pt_regs *regs);

#endif
