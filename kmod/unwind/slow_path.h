/* SPDX-License-Identifier: GPL-2.0 */
/* A walk by tables, and the steps of it that need more than the rule cache. */
#ifndef PPROF_UNWIND_STEP_H
#define PPROF_UNWIND_STEP_H

#include <linux/bits.h>

#include "unwind/rule_cache.h"
#include "unwind/process_ranges.h"
#include "unwind/stack.h"

#define PPROF_WALK_FLOOR	(64U << 10)	/* no stack is below it */
#define PPROF_WALK_LOST		BIT_ULL(63)	/* bp isn't known; no offset makes this valid */

/*
 * Some registers are known in some frames only: what tells of them is the value
 * of @next while the walk is in such a frame, so that the others cost nothing.
 */
struct pprof_walk {
	/* Where the walk is: in the frame of next[-1]. */
	u64 after;	/* the byte to look up: its PC, or the last one of its call */
	u64 sp;		/* 8-aligned, from PPROF_WALK_FLOOR up to below the limit */
	u64 bp;
	u64 *next;

	/* Constant. */
	u64 *end_of_frames;
	u64 limit;	/* of user memory */
	u64 word_limit;	/* of where a word of it may begin */
	u32 key;	/* of space in cache */
	struct pprof_rulecache *cache;
	const struct pprof_space *space;
	const struct pprof_regs *regs;
	struct pprof_stack *stack;

	/* For pprof_unwind_step() alone. */
	const struct pprof_space_range *range;	/* found last, or pprof_walk_nowhere */
	const u64 *all_known;	/* all registers: regs, or a signal's */
	u64 signal_regs;	/* the user address of those; 0: regs */
	const u64 *rbx_known;
	u64 rbx_slot;		/* its user address; 0: in regs */
	const u64 *chained;	/* found by the chain of frame pointers */
	const struct return_instance *awaited;	/* as in regs, from where the walk is */
	u32 nr_signals;
	int budget;		/* instructions, about, beside those of walks through the cache */
};

/*
 * What a walk may cost in all, and what a frame costs whose rule is cached; both
 * in instructions. A stack made for it would take the time of 90,000 otherwise.
 */
#define PPROF_WALK_MAX_COST	28000
#define PPROF_WALK_FRAME_COST	37

/* What has no address. */
extern const struct pprof_space_range pprof_walk_nowhere;

/* May a walk be at this stack pointer? */
static inline bool pprof_walk_sp_is_sane(const struct pprof_walk *walk, u64 sp)
{
	return !(sp & 7) && sp >= PPROF_WALK_FLOOR && sp < walk->limit;
}

/* One frame by whatever rule it has. False: the walk ends, and why is told. */
bool pprof_unwind_step(struct pprof_walk *walk);

#endif
