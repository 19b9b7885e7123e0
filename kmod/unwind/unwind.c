// SPDX-License-Identifier: GPL-2.0
#include "unwind/unwind.h"

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "arch/user_word.h"

#include "unwind/slow_path.h"

/* walk_cached() does not walk larger frames. A power of two. */
#define MAX_FRAME_BYTES	SZ_1M

/* Why walk_cached() stopped. */
enum stop {
	STOP_COMPLETE,
	STOP_UNUSUAL,	/* the next frame is one for pprof_unwind_step() */
	STOP_KNOWN,	/* the frame is one of the known stack: that of walk->word */
};

/* Moves *word to the first one at @sp or above. Is it that of the frame of @sp and @after? */
static __always_inline bool is_known(struct pprof_known_word **word, u64 sp, u64 after)
{
	while ((*word)->above < sp)
		++*word;
	return (*word)->above == sp && (*word)->value == after;
}

/* See the third rule below. */
static __always_inline bool find_cfa_by_fp(u64 sp, u64 fp, u64 *cfa)
{
	u64 distance = (fp - sp) & (MAX_FRAME_BYTES - 8);

	OPTIMIZER_HIDE_VAR(distance);
	*cfa = sp + distance + 16;
	return !((fp - sp) & ~(MAX_FRAME_BYTES - 8ULL));
}

/*
 * Walks frames while their rules are in the cache and nothing is unusual. It leaves all other
 * frames to pprof_unwind_step(), in unchanged state. @learns is a constant: either the frames
 * become a known stack, from walk->word on, or the walk stops at the first one that is known.
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
static __always_inline enum stop walk_cached(struct pprof_walk *walk, bool learns)
{
	u64 after = walk->after, sp = walk->sp, fp = walk->fp, limit = walk->limit;
	u64 *next = walk->next, *end = walk->end_of_frames;
	struct pprof_known_word *word = walk->word;
	u64 cfa, return_address, caller_fp;
	const struct pprof_rule_cache_entry *entry;
	enum stop stop = STOP_UNUSUAL;
	u32 kind;

	if (learns && end - next > PPROF_KNOWN_WORDS - 1)
		end = next + PPROF_KNOWN_WORDS - 1;	/* and one for the outermost frame */
	if (!user_read_access_begin(NULL, sizeof(u64)))
		return STOP_UNUSUAL;
	while (next != end) {
		if (!learns && is_known(&word, sp, after)) {
			stop = STOP_KNOWN;
			break;
		}
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
				if (!find_cfa_by_fp(sp, fp, &cfa))
					break;
			} else if (kind == PPROF_CACHED_SP_SAVED) {
				cfa = sp + entry->cfa_offset;
			} else {
				stop = kind == PPROF_CACHED_END ? STOP_COMPLETE : STOP_UNUSUAL;
				break;
			}
			if (cfa >= limit)
				break;
			unsafe_get_user(caller_fp, (u64 __user *)(cfa + entry->fp_offset), out);
			unsafe_get_user(return_address, (u64 __user *)(cfa - 8), out);
			fp = caller_fp;
		}
		if (learns)
			*word++ = (struct pprof_known_word) {
				sp, after, .fp_offset = entry->fp_offset, .kind = kind,
			};
		*next++ = return_address;
		after = return_address;
		sp = cfa;
	}
out:
	user_read_access_end();
	walk->word = word;
	walk->after = after;
	walk->sp = sp;
	walk->fp = fp;
	walk->next = next;
	return stop;
}

static bool is_cached(const struct pprof_walk *walk)
{
	const struct pprof_rule_cache_set *set = pprof_rule_cache_set(walk->cache, walk->after);

	return set->entries[0].after == walk->after || set->entries[1].after == walk->after;
}

static __always_inline bool is_unchanged(const struct pprof_known_word *word)
{
	return pprof_arch_user_word_is(word->above - sizeof(u64), word->value);
}

/* Returns the number of words before the first one that has changed, of the 4 from @word on. */
static __always_inline u32 count_unchanged(const struct pprof_known_word *word)
{
	if (!is_unchanged(&word[0]))
		return 0;
	if (!is_unchanged(&word[1]))
		return 1;
	if (!is_unchanged(&word[2]))
		return 2;
	return is_unchanged(&word[3]) ? 4 : 3;
}

/*
 * Have all words that are further out than walk->word still the same values? Their addresses are
 * checked: the walk that learned them has read them. If not, the walk goes on in unchanged state,
 * and may come to a known frame that is further out.
 */
static __always_inline bool are_unchanged(struct pprof_walk *walk)
{
	struct pprof_known_word *word = walk->word + 1, *end = walk->known->words + walk->known->nr;
	u32 nr;

	if (!user_read_access_begin(NULL, sizeof(u64)))
		return false;
	for (; word < end - 3; word += 4) {
		nr = count_unchanged(word);
		if (nr != 4) {
			word += nr;
			goto changed;
		}
	}
	for (; word < end; word++)
		if (!is_unchanged(word))
			goto changed;
	user_read_access_end();
	return true;
changed:
	user_read_access_end();
	walk->word = word;
	return false;
}

/*
 * Does the frame of the walk, at walk->word, lead to the known callers, if they are unchanged? The
 * word of a saved fp, which has 0 frames, does not.
 */
static __always_inline bool leads_to_known(const struct pprof_walk *walk)
{
	const struct pprof_known_word *word = walk->word;

	if (word->nr_frames - 1UL > (size_t)(walk->end_of_frames - walk->next))
		return false;
	return !word->fp_from || walk->fp + 16 == walk->known->words[word->fp_from].above;
}

/*
 * Ends the walk at a known frame, whose callers are known. The outermost frames of the last sample
 * are not sent again. A frame that was interrupted is not part of them: it is the PC, and no return
 * address.
 */
static __always_inline void take_callers(struct pprof_walk *walk,
					 const struct pprof_known_word *word)
{
	u32 nr = word->nr_frames, same = nr - (walk->next[-1] != word->value);
	struct pprof_known_stack *known = walk->known;
	u32 nr_shared = min_t(u32, same, known->nr_sent);

	/* More than half of the stack was walked: learn it anew. */
	if (nr < walk->next - walk->stack->frames)
		known->epoch = 0;
	known->nr_walked = same;
	walk->stack->nr_shared = nr_shared;
	if (nr_shared == nr) {
		walk->next--;
		return;
	}
	while (--nr > nr_shared) {
		word = pprof_known_caller(word);
		*walk->next++ = word->value;
	}
}

/* Returns: false if the walk is complete. */
static __always_inline bool walk_to_known(struct pprof_walk *walk)
{
	const struct pprof_known_word *word;
	enum stop stop;

	while ((stop = walk_cached(walk, false)) == STOP_KNOWN) {
		word = walk->word;
		if (!leads_to_known(walk)) {
			walk->word++;
		} else if (are_unchanged(walk)) {
			take_callers(walk, word);
			return false;
		}
	}
	return stop == STOP_UNUSUAL;
}

/* Returns: false if the walk is complete. */
static bool walk_and_learn(struct pprof_walk *walk)
{
	struct pprof_known_stack *known = walk->known;
	u32 nr;

	walk->word = known->words;
	if (walk_cached(walk, true) == STOP_UNUSUAL)
		return true;
	nr = walk->word - known->words;
	known->words[nr] = (struct pprof_known_word) {
		walk->sp, walk->after, .kind = PPROF_CACHED_END,
	};
	pprof_known_stack_learn(known, walk->process->epoch, nr + 1);
	known->nr_walked = nr;
	return false;
}

static bool walk_fast(struct pprof_walk *walk, bool learns)
{
	return learns ? walk_and_learn(walk) : walk_to_known(walk);
}

/* The stack is the PC alone. */
static void stop_at_once(struct pprof_stack *stack, u16 end)
{
	stack->nr = 1;
	stack->end_reason = end;
}

/* What pprof_unwind() is given, but for the stack. */
struct walk_input {
	const struct pprof_regs *regs;
	const struct pprof_process_ranges *process;
	struct pprof_rule_cache *cache;
	struct pprof_known_stack *known;
};

/* The frame to which a walk has come: see the fields of struct pprof_walk. */
struct position {
	u64 after, sp, fp;
	u64 *next;
	struct pprof_known_word *word;
};

/* Sets the fields that walk_cached() needs. It is faster than a struct that is zeroed first. */
static __always_inline void init_walk(struct pprof_walk *walk, struct pprof_stack *stack,
				      const struct walk_input *input, const struct position *at)
{
	walk->after = at->after;
	walk->sp = at->sp;
	walk->fp = at->fp;
	walk->next = at->next;
	walk->word = at->word;
	walk->end_of_frames = stack->frames + stack->max;
	walk->limit = TASK_SIZE_MAX;
	walk->stack = stack;
	walk->process = input->process;
	walk->cache = input->cache;
	walk->key = pprof_rule_cache_key(input->cache, input->process->epoch);
	walk->known = input->known;
}

/* Sets the others, before the first pprof_unwind_step(). */
static void init_steps(struct pprof_walk *walk, const struct pprof_regs *regs)
{
	const struct pprof_stack *stack = walk->stack;

	walk->word_limit = walk->limit - sizeof(u64) + 1;
	walk->regs = regs;
	walk->range = &pprof_walk_nowhere;
	walk->all_known = stack->frames + 1;
	walk->signal_regs = 0;
	walk->base_known = stack->frames + 1;
	walk->base_slot = 0;
	walk->chained = NULL;
	walk->uretprobes = regs->uretprobes;
	walk->nr_switches = 0;
	walk->nr_signals = 0;
	walk->budget = PPROF_WALK_MAX_COST - PPROF_WALK_FRAME_COST * (int)stack->max;
}

static void walk_steps(struct pprof_walk *walk, bool learns)
{
	do {
		do {
			if (!pprof_unwind_step(walk))
				return;
		} while (!is_cached(walk));
	} while (walk_fast(walk, learns));
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

/* Walks a stack from @at on. Out of line: most walks come to a known frame first. */
static noinline void walk_on(struct pprof_stack *stack, struct walk_input input,
			     struct position at, bool learns, bool is_behind_breakpoint)
{
	struct pprof_walk walk __uninitialized;

	init_walk(&walk, stack, &input, &at);
	init_steps(&walk, input.regs);
	if (learns) {
		input.known->epoch = 0;
		input.known->nr_sent = 0;
	}
	if (is_behind_breakpoint)
		pprof_walk_undo_breakpoint(&walk);
	if (!learns || walk_and_learn(&walk))
		walk_steps(&walk, learns);
	mark_interrupted(&walk);
	stack->nr = walk.next - stack->frames;
}

/*
 * No function gets the address of this walk, so the compiler keeps it in registers. That saves 30
 * instructions a sample on 6.12.
 */
static __always_inline void walk_stack(struct pprof_stack *stack, const struct walk_input *input,
				       u64 sp)
{
	const struct pprof_regs *regs = input->regs;
	const struct position leaf = {
		regs->ip + 1, sp, regs->fp, stack->frames + 1, input->known->words,
	};
	bool is_behind_breakpoint =
		unlikely(regs->in_exception) && pprof_walk_is_behind_breakpoint(regs->ip);
	bool learns = input->known->epoch != input->process->epoch;
	struct pprof_walk walk __uninitialized;

	if (unlikely(learns || is_behind_breakpoint)) {
		walk_on(stack, *input, leaf, learns, is_behind_breakpoint);
		return;
	}
	init_walk(&walk, stack, input, &leaf);
	if (walk_to_known(&walk))
		walk_on(stack, *input, (struct position) {
			walk.after, walk.sp, walk.fp, walk.next, walk.word,
		}, false, false);
	else
		stack->nr = walk.next - stack->frames;
}

static __always_inline void walk_process(struct pprof_stack *stack, const struct walk_input *input)
{
	u64 sp = input->regs->sp;

	if (!pprof_walk_sp_is_sane(sp, TASK_SIZE_MAX)) {
		stop_at_once(stack, PPROF_END_BAD_CFA);
		return;
	}
	stack->end_reason = PPROF_END_COMPLETE;
	pagefault_disable();
	walk_stack(stack, input, array_index_nospec(sp, TASK_SIZE_MAX));
	pagefault_enable();
	/* The next walk learns the stack if this one did not come to a known frame. */
	if (!input->known->nr_walked)
		input->known->epoch = 0;
}

void pprof_unwind(struct pprof_stack *stack, const struct pprof_regs *regs,
		  const struct pprof_process_ranges *process, struct pprof_rule_cache *cache,
		  struct pprof_known_stack *known)
{
	stack->flags = 0;
	stack->nr_shared = 0;
	known->nr_walked = 0;
	stack->frames[0] = regs->ip;
	if (regs->compat)
		stop_at_once(stack, PPROF_END_COMPAT);
	else if (!process)
		stop_at_once(stack, PPROF_END_NO_RANGES);
	else
		walk_process(stack, &(const struct walk_input) { regs, process, cache, known });
}
