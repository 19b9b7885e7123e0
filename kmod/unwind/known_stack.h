/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of user memory that made up a stack. A later walk that comes to one of its frames reads
 * these words again. If none has changed, the outer frames are the same, and need no rules.
 *
 * This is exact. A frame is a PC, an sp and an fp. The rules of the process decide from them alone
 * which words a walk reads next. The rules of one epoch do not change.
 */
#ifndef PPROF_KNOWN_STACK_H
#define PPROF_KNOWN_STACK_H

#include <linux/types.h>

#include "uapi/pprof.h"
#include "unwind/rule_cache.h"

/* So all stacks of a CPU fit into 32 KiB, the limit of alloc_percpu(). */
#define PPROF_KNOWN_WORDS	160

/* A return address, or a saved fp from which a later frame computes its CFA. */
struct pprof_known_word {
	u64 above;	/* its address plus 8: the sp of the frame, if it is a return address */
	u64 value;
	s16 fp_offset;	/* of the rule; used while a stack is learned */
	u8 kind;	/* PPROF_CACHED_*, of the rule; PPROF_KNOWN_FP: a saved fp */
	u16 nr_frames;	/* from this one outwards; 0: a saved fp */
	/*
	 * The word whose address plus 8 must be the fp of this frame plus 16. This frame, or an
	 * outer one, computes its CFA from the fp. 0: none does.
	 */
	u16 fp_from;
};

#define PPROF_KNOWN_FP	(PPROF_CACHED_END + 1)

/*
 * A stack of one thread. The last word is that of the outermost frame. Another one follows, whose
 * address is above all memory. All zeroes is no stack.
 */
struct pprof_known_stack {
	u64 epoch;	/* of the ranges of the process; 0: no stack */
	u16 nr;		/* words */
	/* The number of outermost frames that the last sample in the ring has, too */
	u16 nr_sent;
	u16 nr_walked;	/* The same, of the last walk. Its sample may not be sent yet */
	struct pprof_known_word words[PPROF_KNOWN_WORDS + 1];
};

/* The stacks of a CPU, used with interrupts off. */
struct pprof_known_stacks {
	struct pprof_known_stack stacks[PPROF_SHARED_STACKS];
};

/* Returns the stack for a thread. Several threads have the same. @tid is that of the record. */
static inline struct pprof_known_stack *pprof_known_stack_of(struct pprof_known_stacks *known,
							     u32 tid)
{
	return &known->stacks[tid % PPROF_SHARED_STACKS];
}

/*
 * Makes @nr words the stack. The walk has set their fields above, value, fp_offset and kind: one
 * word a frame, leaf first. Only the last one has PPROF_CACHED_END. If saved fps have no room,
 * there is no stack.
 * Context: interrupts off, @known is this CPU's.
 */
void pprof_known_stack_learn(struct pprof_known_stack *known, u64 epoch, u32 nr);

/*
 * Returns the word of the caller's frame; @word is of a frame that is not the outermost one.
 * Context: as above.
 */
static inline const struct pprof_known_word *pprof_known_caller(const struct pprof_known_word *word)
{
	return word[1].kind == PPROF_KNOWN_FP ? word + 2 : word + 1;
}

#endif
