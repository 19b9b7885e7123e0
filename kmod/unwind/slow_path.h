/* SPDX-License-Identifier: GPL-2.0 */
/* A walk by tables, and its steps that need more than the rule cache. */
#ifndef PPROF_SLOW_PATH_H
#define PPROF_SLOW_PATH_H

#include <linux/bits.h>

#include "unwind/known_stack.h"
#include "unwind/rule_cache.h"
#include "unwind/process_ranges.h"
#include "unwind/stack.h"

#define PPROF_WALK_FLOOR	(64U << 10)	/* no stack is below this address */
/* A value of fp: it is not known. Plus any offset of a rule, it is still no user address. */
#define PPROF_WALK_LOST		BIT_ULL(63)

/* Signal frames of one stack: their addresses need not rise. */
#define PPROF_WALK_MAX_SIGNALS	8
/* Switches of stacks in one stack. A callback from C to Go has two. */
#define PPROF_WALK_MAX_SWITCHES	8

/*
 * Some registers are known in some frames only. The fields all_known, base_known and chained hold
 * the value of @next that the walk has in such a frame. So other frames need no code to clear them.
 */
struct pprof_walk {
	/* The position of the walk: the frame of next[-1]. */
	/* One past the byte to look up, which is the PC or the last byte of a call */
	u64 after;
	u64 sp;		/* 8-aligned, from PPROF_WALK_FLOOR to below the limit */
	u64 fp;
	u64 *next;

	/* Constant. */
	u64 *end_of_frames;
	u64 limit;	/* end of user memory */
	u64 word_limit;	/* end of the addresses where a word of user memory may begin */
	u32 key;	/* of the ranges of process, in cache */
	struct pprof_rule_cache *cache;
	const struct pprof_process_ranges *process;
	const struct pprof_regs *regs;
	struct pprof_stack *stack;
	struct pprof_known_stack *known;

	/*
	 * In known: the first word at sp or above; or while the walk learns the stack, where the
	 * next frame goes.
	 */
	struct pprof_known_word *word;

	/* Used by pprof_unwind_step() alone. */
	/* The range that was found last, or pprof_walk_nowhere */
	const struct pprof_process_range *range;
	const u64 *all_known;	/* all registers are known: those of regs, or of a signal frame */
	/* User address of the registers of a signal frame; 0: they are in regs */
	u64 signal_regs;
	const u64 *base_known;
	u64 base_slot;		/* user address of the base pointer; 0: it is in regs */
	const u64 *chained;	/* this frame was found by the chain of frame pointers */
	const struct return_instance *uretprobes;	/* as in regs, from this frame outwards */
	u32 nr_switches;
	u32 nr_signals;
	/*
	 * The frames that return from handlers, nr_signals of them. The next frame, if the walk has
	 * one, was interrupted. The walk ends at the last one.
	 */
	u64 *returning[PPROF_WALK_MAX_SIGNALS + 1];
	/* The instructions that the walk may still take, roughly. Cached frames do not count. */
	int budget;
};

/*
 * The bound on the cost of a whole walk, and the cost of a frame with a cached rule, in
 * instructions. Without the bound a stack that is made for it would cost 90,000 instructions.
 */
#define PPROF_WALK_MAX_COST	28000
#define PPROF_WALK_FRAME_COST	37

/* An empty range. */
extern const struct pprof_process_range pprof_walk_nowhere;

/* May a walk have this stack pointer? @limit is TASK_SIZE_MAX. */
static inline bool pprof_walk_sp_is_sane(u64 sp, u64 limit)
{
	return !(sp & 7) && sp >= PPROF_WALK_FLOOR && sp < limit;
}

/*
 * Is there a breakpoint before the byte at @pc? Only a thread in an exception can have such a PC.
 * Context: as pprof_unwind_step().
 */
bool pprof_walk_is_behind_breakpoint(u64 pc);

/*
 * Sets the PC, which is behind a breakpoint, back to it, if it is a uprobe's and the kernel has not
 * done it yet. Call it before the first step.
 * Context: as pprof_unwind_step().
 */
void pprof_walk_undo_breakpoint(struct pprof_walk *walk);

/*
 * Walks one frame by any rule.
 * Returns: false if the walk ends. walk->stack->end_reason is set.
 * Context: interrupts off, page faults disabled.
 */
bool pprof_unwind_step(struct pprof_walk *walk);

#endif
