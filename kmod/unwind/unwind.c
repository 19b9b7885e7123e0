// SPDX-License-Identifier: GPL-2.0
#include "unwind/unwind.h"

#include <linux/compiler.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "unwind/slow_path.h"

/* walk_cached() does not walk larger frames. A power of two. */
#define MAX_FRAME_BYTES	SZ_1M

/*
 * Walks frames while their rules are in the cache and nothing is unusual. It leaves all other
 * frames to pprof_unwind_step(), in unchanged state.
 * Returns: false if the walk is complete.
 *
 * One user_access_begin() for all frames saves most of the cost of a read. No call may stand
 * between it and user_access_end() (objtool). Between them only these rules keep every address in
 * user memory:
 *
 * - sp is valid at first, and rises by multiples of 8. So only the limit is checked.
 * - All reads are 8 to 32,768 bytes below the CFA, which is at least the floor of 64 KiB.
 * - fp was read from memory and becomes an address. That is a Spectre v1 gadget, if its distance
 *   from sp is only checked. So the distance is masked, and the address is sp plus that. It is
 *   hidden from gcc, which would find that the address is fp. All steps from sp together, at 1 MiB
 *   each, do not reach the kernel.
 *
 * It is most of the cost of a sample: 23 to 37 instructions a frame.
 */
static __always_inline bool walk_cached(struct pprof_walk *walk)
{
	u64 after = walk->after, sp = walk->sp, fp = walk->fp, limit = walk->limit;
	u64 *next = walk->next, *end = walk->end_of_frames;
	u64 cfa, distance, return_address, caller_fp;
	const struct pprof_rule_cache_entry *entry;
	bool more = true;
	u32 kind;

	if (!user_read_access_begin(NULL, sizeof(u64)))
		return true;
	while (next != end) {
		entry = pprof_rule_cache_set(walk->cache, after)->entries;
		if (unlikely(entry->after != after) && (++entry)->after != after)
			break;
		kind = entry->key - walk->key;
		if (kind == PPROF_CACHED_SP) {
			cfa = sp + entry->cfa_offset;
			if (cfa >= limit)
				break;
			unsafe_get_user(return_address, (u64 __user *)(cfa - 8), out);
		} else {
			if (kind == PPROF_CACHED_FP) {
				distance = (fp - sp) & (MAX_FRAME_BYTES - 8);
				OPTIMIZER_HIDE_VAR(distance);
				if ((fp - sp) & ~(MAX_FRAME_BYTES - 8ULL))
					break;
				cfa = sp + distance + 16;
			} else if (kind == PPROF_CACHED_SP_SAVED) {
				cfa = sp + entry->cfa_offset;
			} else {
				more = kind != PPROF_CACHED_END;
				break;
			}
			if (cfa >= limit)
				break;
			unsafe_get_user(caller_fp, (u64 __user *)(cfa + entry->fp_offset), out);
			unsafe_get_user(return_address, (u64 __user *)(cfa - 8), out);
			fp = caller_fp;
		}
		*next++ = return_address;
		after = return_address;
		sp = cfa;
	}
out:
	user_read_access_end();
	walk->after = after;
	walk->sp = sp;
	walk->fp = fp;
	walk->next = next;
	return more;
}

static bool is_cached(const struct pprof_walk *walk)
{
	const struct pprof_rule_cache_set *set = pprof_rule_cache_set(walk->cache, walk->after);

	return set->entries[0].after == walk->after || set->entries[1].after == walk->after;
}

static void walk_steps(struct pprof_walk *walk)
{
	walk->stack->end_reason = PPROF_END_COMPLETE;
	while (walk_cached(walk)) {
		do {
			if (!pprof_unwind_step(walk))
				return;
		} while (!is_cached(walk));
	}
}

/* The stack is the PC alone. */
static void stop_at_once(struct pprof_stack *stack, u16 end)
{
	stack->nr = 1;
	stack->end_reason = end;
}

/*
 * Sets all fields but those that walk_process() sets. It is faster than a struct that is zeroed
 * first.
 */
static void init_walk(struct pprof_walk *walk, struct pprof_stack *stack,
		      const struct pprof_regs *regs)
{
	walk->after = regs->ip + 1;
	walk->sp = regs->sp;
	walk->fp = regs->fp;
	walk->next = stack->frames + 1;
	walk->end_of_frames = stack->frames + stack->max;
	walk->limit = TASK_SIZE_MAX;
	walk->word_limit = walk->limit - sizeof(u64) + 1;
	walk->regs = regs;
	walk->stack = stack;
	walk->range = &pprof_walk_nowhere;
	walk->all_known = walk->next;
	walk->signal_regs = 0;
	walk->base_known = walk->next;
	walk->base_slot = 0;
	walk->chained = NULL;
	walk->uretprobes = regs->uretprobes;
	walk->nr_switches = 0;
	walk->nr_signals = 0;
	walk->budget = PPROF_WALK_MAX_COST - PPROF_WALK_FRAME_COST * (int)stack->max;
}

/* An address of the kernel is no PC of a user: it stays. */
static void mark(const struct pprof_walk *walk, u64 *frame)
{
	if (frame < walk->next && *frame < walk->limit)
		++*frame;
}

/*
 * Makes the PCs that signals interrupted look like return addresses: the byte before them is in
 * the function. So does the start of the code that returns from a handler, which is the frame
 * before. That frame stays if it is the leaf, and is not marked again if it was interrupted itself.
 * The walk needs the PCs, so this is done after it.
 */
static void mark_interrupted(const struct pprof_walk *walk)
{
	u64 *last = walk->stack->frames;
	u32 i;

	for (i = 0; i < walk->nr_signals; i++) {
		if (walk->returning[i] != last)
			mark(walk, walk->returning[i]);
		last = walk->returning[i] + 1;
		mark(walk, last);
	}
}

static void walk_process(struct pprof_stack *stack, const struct pprof_regs *regs,
			 const struct pprof_process_ranges *process, struct pprof_rule_cache *cache)
{
	struct pprof_walk walk __uninitialized;

	init_walk(&walk, stack, regs);
	walk.process = process;
	walk.cache = cache;
	walk.key = pprof_rule_cache_key(cache, process->epoch);
	if (!pprof_walk_sp_is_sane(&walk, walk.sp)) {
		stop_at_once(stack, PPROF_END_BAD_CFA);
		return;
	}
	walk.sp = array_index_nospec(walk.sp, walk.limit);
	pagefault_disable();
	if (unlikely(regs->in_exception))
		pprof_walk_undo_breakpoint(&walk);
	walk_steps(&walk);
	pagefault_enable();
	if (unlikely(walk.nr_signals))
		mark_interrupted(&walk);
	stack->nr = walk.next - stack->frames;
}

void pprof_unwind(struct pprof_stack *stack, const struct pprof_regs *regs,
		  const struct pprof_process_ranges *process, struct pprof_rule_cache *cache)
{
	stack->flags = 0;
	stack->frames[0] = regs->ip;
	if (regs->compat)
		stop_at_once(stack, PPROF_END_COMPAT);
	else if (!process)
		stop_at_once(stack, PPROF_END_NO_RANGES);
	else
		walk_process(stack, regs, process, cache);
}
