// SPDX-License-Identifier: GPL-2.0
#include "unwind/slow_path.h"

#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "arch/call.h"
#include "arch/epilogue.h"
#include "arch/trampoline.h"
#include "arch/unwind_regs.h"
#include "base/uretprobe.h"

#define MAX_LEAF_BYTES	SZ_4K	/* of a function without a rule that keeps sp */
#define MAX_SWITCH_BYTES	1024	/* of a function that switches stacks */
#define SAME_FUNCTION_BYTES	256	/* code so close after a call is part of the caller */

/*
 * Costs that are taken off the budget. They were measured with the worst tables: 4,096 ranges, and
 * a row for each byte.
 */
#define STEP_COST	80
#define LOOKUP_COST	135	/* of a table, and a step by its rule */
#define SEARCH_COST	100	/* of the ranges */
/* To read a word of memory; the list has at most 64 calls, which cost little */
#define URETPROBE_COST	150
#define FAULT_COST	2000	/* two page faults: the first was in walk_cached() */

const struct pprof_process_range pprof_walk_nowhere;
static const struct pprof_rule no_rule = { .cfa = PPROF_CFA_NONE };
static const struct pprof_rule frame_pointer_rule = { .cfa = PPROF_CFA_FRAME_POINTER };

static bool stop(struct pprof_walk *walk, u16 end)
{
	walk->stack->end_reason = end;
	return false;
}

/*
 * @address may have any value. The clamp is for a CPU that reads before the check is done. Inline,
 * as all functions with a pointer to a result: a variable in memory costs a fifth more instructions
 * a step.
 */
static __always_inline bool read_below(u64 limit, u64 address, u64 *to)
{
	if (address >= limit)
		return false;
	address = array_index_nospec(address, limit);
	if (!user_read_access_begin(NULL, sizeof(*to)))
		return false;
	unsafe_get_user(*to, (const u64 __user *)address, fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

static __always_inline bool read_user(const struct pprof_walk *walk, u64 address, u64 *to)
{
	return read_below(walk->word_limit, address, to);
}

/*
 * Returns: false after it ended the walk. So do the functions below that return bool, except those
 * whose name is a question (is_..., may_...).
 */
static __always_inline bool need_user(struct pprof_walk *walk, u64 address, u64 *to)
{
	return read_user(walk, address, to) || stop(walk, PPROF_END_FAULT);
}

/* @reg is below 16: the tables were checked. */
static __always_inline bool need_reg(struct pprof_walk *walk, u8 reg, u64 *to)
{
	if (walk->next != walk->all_known)
		return stop(walk, PPROF_END_LOST_REG);
	if (walk->signal_regs)
		return need_user(walk, pprof_arch_signal_reg(walk->signal_regs, reg), to);
	*to = pprof_arch_reg(walk->regs->all, reg);
	return true;
}

static __always_inline bool need_base(struct pprof_walk *walk, u64 *to)
{
	if (walk->next != walk->base_known)
		return stop(walk, PPROF_END_LOST_REG);
	if (walk->base_slot)
		return need_user(walk, walk->base_slot, to);
	*to = pprof_arch_reg(walk->regs->all, PPROF_ARCH_REG_BASE);
	return true;
}

static __always_inline bool need_fp(struct pprof_walk *walk, u64 *to)
{
	*to = walk->fp;
	return *to != PPROF_WALK_LOST || stop(walk, PPROF_END_LOST_REG);
}

static const struct pprof_process_range *find_range(struct pprof_walk *walk, u64 address)
{
	const struct pprof_process_range *range = walk->range;

	if (pprof_process_range_has(range, address))
		return range;
	walk->budget -= SEARCH_COST;
	range = pprof_process_ranges_find(walk->process, address);
	if (range)
		walk->range = range;
	return range;
}

/*
 * Returns the rule for the position of the walk, or NULL: the PC is in no range. The rule may be in
 * @room.
 */
static const struct pprof_rule *find_rule(struct pprof_walk *walk, struct pprof_rule *room)
{
	u64 at = walk->after - 1;
	const struct pprof_process_range *range = find_range(walk, at);
	const struct pprof_rule *rule;

	if (!range)
		return NULL;
	if (!range->table)
		return &frame_pointer_rule;
	walk->budget -= LOOKUP_COST;
	rule = pprof_table_find(range->table, at - range->bias, room);
	return rule ? rule : &no_rule;
}

/* Keeps the rule for later walks. The cache does not follow the base pointer. */
static void keep(struct pprof_walk *walk, const struct pprof_rule *rule)
{
	if (!walk->range->table->keeps_base)
		pprof_rule_cache_put(walk->cache, walk->key, walk->after, rule);
}

/* Appends a frame. The next lookup is of the byte before @after. */
static bool push(struct pprof_walk *walk, u64 sp, u64 pc, u64 after)
{
	if (walk->next == walk->end_of_frames)
		return stop(walk, PPROF_END_DEPTH);
	*walk->next++ = pc;
	walk->sp = sp;
	walk->after = after;
	return true;
}

/* Appends the frame of the caller. A return address of 0 means that there is no caller. */
static bool push_caller(struct pprof_walk *walk, u64 cfa, u64 return_address)
{
	if (!return_address)
		return stop(walk, PPROF_END_COMPLETE);
	return push(walk, cfa, return_address, return_address);
}

static __always_inline bool find_deref(struct pprof_walk *walk, const struct pprof_rule *rule,
				       u64 base, u64 *cfa)
{
	if (!need_user(walk, base + rule->cfa_offset, cfa))
		return false;
	*cfa += rule->cfa_add;
	return true;
}

static __always_inline bool find_cfa(struct pprof_walk *walk, const struct pprof_rule *rule,
				     u64 *cfa)
{
	bool found = true;

	switch (rule->cfa) {
	case PPROF_CFA_FP:
	case PPROF_CFA_OTHER_STACK:
		found = need_fp(walk, cfa);
		break;
	case PPROF_CFA_BASE:
		found = need_base(walk, cfa);
		break;
	case PPROF_CFA_REG:
		found = need_reg(walk, rule->reg, cfa);
		break;
	case PPROF_CFA_DEREF_SP:
		return find_deref(walk, rule, walk->sp, cfa);
	case PPROF_CFA_DEREF_FP:
		return need_fp(walk, cfa) && find_deref(walk, rule, *cfa, cfa);
	case PPROF_CFA_PLT:
		*cfa = walk->sp + ((int)(walk->next[-1] & 15) >= rule->cfa_add ? 8 : 0);
		break;
	default:
		*cfa = walk->sp;
	}
	*cfa += rule->cfa_offset;
	return found;
}

/*
 * CFAs must rise, except from one stack to another. Only the CFA of vfork() may be sp itself: it
 * takes its return address off the stack into a register. In its frame all registers are known.
 */
static __always_inline bool check_cfa(struct pprof_walk *walk, const struct pprof_rule *rule,
				      u64 *cfa)
{
	if (rule->cfa == PPROF_CFA_OTHER_STACK) {
		if (walk->nr_switches++ == PPROF_WALK_MAX_SWITCHES)
			return stop(walk, PPROF_END_DEPTH);
		if (!pprof_walk_sp_is_sane(*cfa, walk->limit))
			return stop(walk, PPROF_END_BAD_CFA);
		*cfa = array_index_nospec(*cfa, walk->limit);
		return true;
	}
	if ((*cfa & 7) || *cfa >= walk->limit || *cfa < walk->sp ||
	    (*cfa == walk->sp && walk->next != walk->all_known))
		return stop(walk, PPROF_END_BAD_CFA);
	*cfa = array_index_nospec(*cfa, walk->limit);
	return true;
}

/* Notes where the caller's base pointer is, not its value: hardly any frame needs it. */
static void follow_base(struct pprof_walk *walk, const struct pprof_rule *rule, u64 cfa)
{
	bool known = walk->next == walk->base_known;

	if (rule->base_offset)
		walk->base_slot = cfa + rule->base_offset;
	if (rule->base_offset || known)
		walk->base_known = walk->next + 1;
}

/*
 * Mostly a saved fp is in the same page as the return address. If it is in another page, that page
 * may not be in memory. Then only fp is lost.
 */
static void lose_fp(struct pprof_walk *walk)
{
	walk->fp = PPROF_WALK_LOST;
	walk->budget -= FAULT_COST;
}

static void follow_fp(struct pprof_walk *walk, const struct pprof_rule *rule, u64 cfa)
{
	switch (rule->fp) {
	case PPROF_FP_SAVED:
		if (!read_user(walk, cfa + rule->fp_offset, &walk->fp))
			lose_fp(walk);
		break;
	case PPROF_FP_AT_FP:
		if (!read_user(walk, walk->fp, &walk->fp))
			lose_fp(walk);
		break;
	case PPROF_FP_LOST:
		walk->fp = PPROF_WALK_LOST;
	}
}

/*
 * Is @address the return address of a call to the function that has the PC? If not, fp is not the
 * one from before the switch of stacks: code in between may use the register for something else.
 */
static bool is_call_of_function(const struct pprof_walk *walk, u64 address)
{
	u64 code;

	return read_user(walk, address - sizeof(code), &code) &&
	       pprof_arch_ends_with_direct_call(code) &&
	       walk->after - 1 - pprof_arch_call_target(code, address) < MAX_SWITCH_BYTES;
}

static bool step_by_rule(struct pprof_walk *walk, const struct pprof_rule *rule)
{
	u64 cfa, return_address;

	if (!find_cfa(walk, rule, &cfa) || !check_cfa(walk, rule, &cfa))
		return false;
	if (rule->ra == PPROF_REG_RA) {
		if (!need_user(walk, cfa - 8, &return_address))
			return false;
	} else if (!need_reg(walk, rule->ra, &return_address)) {
		return false;
	}
	if (rule->cfa == PPROF_CFA_OTHER_STACK && !is_call_of_function(walk, return_address))
		return stop(walk, PPROF_END_BAD_FRAME);
	if (walk->range->table->keeps_base)
		follow_base(walk, rule, cfa);
	follow_fp(walk, rule, cfa);
	return push_caller(walk, cfa, return_address);
}

/*
 * The parent and the child of clone() return from its system call to the same code. The child has
 * no caller: what is at its sp is no return address. glibc puts the child's function there.
 */
static bool need_parent(struct pprof_walk *walk, const struct pprof_rule *rule)
{
	u64 result;

	return need_reg(walk, rule->reg, &result) && (result || stop(walk, PPROF_END_COMPLETE));
}

/* Walks from the frame that the kernel made for a signal handler to the interrupted frame. */
static bool step_by_signal(struct pprof_walk *walk, const struct pprof_rule *rule)
{
	u64 regs = walk->sp + rule->cfa_offset + PPROF_ARCH_UCONTEXT_REGS, sp, pc;

	walk->returning[walk->nr_signals] = walk->next - 1;
	if (walk->nr_signals++ == PPROF_WALK_MAX_SIGNALS)
		return stop(walk, PPROF_END_DEPTH);
	if (!need_user(walk, pprof_arch_signal_pc(regs), &pc) ||
	    !need_user(walk, pprof_arch_signal_reg(regs, PPROF_ARCH_REG_SP), &sp) ||
	    !need_user(walk, pprof_arch_signal_reg(regs, PPROF_ARCH_REG_FP), &walk->fp) ||
	    !push(walk, sp, pc, pc + 1))
		return false;
	if (!pprof_walk_sp_is_sane(sp, walk->limit))
		return stop(walk, PPROF_END_BAD_CFA);
	walk->sp = array_index_nospec(sp, walk->limit);
	walk->all_known = walk->next;
	walk->signal_regs = regs;
	walk->base_known = walk->next;
	walk->base_slot = pprof_arch_signal_reg(regs, PPROF_ARCH_REG_BASE);
	return true;
}

/*
 * In a system call the PC is after its instruction. If that is the last one of __restore_rt, the
 * PC is in the next function. So the byte before it counts. Only code without a rule needs this
 * test: that of musl.
 */
static bool is_restoring(struct pprof_walk *walk, struct pprof_rule *signal)
{
	const struct pprof_rule *rule;

	if (walk->next != walk->stack->frames + 1 || !pprof_arch_has_syscall(walk->regs->all))
		return false;
	walk->after--;
	rule = find_rule(walk, signal);
	walk->after++;
	if (!rule || rule->cfa != PPROF_CFA_SIGNAL)
		return false;
	*signal = *rule;
	return true;
}

static bool push_guess(struct pprof_walk *walk, u64 cfa, u64 return_address)
{
	walk->stack->flags |= PPROF_SAMPLE_GUESS;
	return push_caller(walk, cfa, return_address);
}

/* Code that is not from a file, or has no rules, may keep frame pointers. */
static bool guess_by_frame_pointer(struct pprof_walk *walk)
{
	u64 fp = walk->fp, caller_fp, return_address;

	if (!fp && walk->chained == walk->next)
		return stop(walk, PPROF_END_COMPLETE);	/* the chain ends with 0 */
	if ((fp & 7) || fp - walk->sp >= SZ_8M || fp + 16 >= walk->limit)
		return stop(walk, PPROF_END_BAD_FRAME);
	if (!need_user(walk, fp + 8, &return_address) || !need_user(walk, fp, &caller_fp))
		return false;
	if (!find_range(walk, return_address - 1))
		return stop(walk, PPROF_END_BAD_FRAME);
	walk->fp = caller_fp;
	walk->chained = walk->next + 1;
	return push_guess(walk, fp + 16, return_address);
}

/*
 * May a call of @target, which returns to @address, have led to the PC? The PC is in @range and has
 * no rule. A function that reserves room on the stack may have an old return address at sp. So the
 * PC must be in the called function. That may have jumped to another one from a PLT stub, or from
 * other code that has a rule.
 */
static bool may_be_called(struct pprof_walk *walk, const struct pprof_process_range *range,
			  u64 address, u64 target)
{
	u64 pc = walk->after - 1;
	const struct pprof_rule *rule;
	struct pprof_rule room;

	if (pc - address < SAME_FUNCTION_BYTES && pc - target > pc - address)
		return false;
	if (pc - target < MAX_LEAF_BYTES || !pprof_process_range_has(range, target))
		return true;
	walk->budget -= LOOKUP_COST;
	rule = pprof_table_find(range->table, target - range->bias, &room);
	return rule && rule->cfa != PPROF_CFA_NONE;
}

/* A function pointer at sp, say to the callback of a qsort(), is no return address. */
static bool is_return_address(struct pprof_walk *walk, u64 address)
{
	const struct pprof_process_range *range = walk->range;
	u64 code;

	if (!find_range(walk, address - 1) || !read_user(walk, address - sizeof(code), &code))
		return false;
	if (pprof_arch_ends_with_direct_call(code))
		return may_be_called(walk, range, address, pprof_arch_call_target(code, address));
	return pprof_arch_ends_with_call(code);
}

/* Hand-written leaf code without rules mostly leaves the stack pointer as it is. */
static bool guess_leaf(struct pprof_walk *walk)
{
	u64 return_address;

	if (walk->next != walk->stack->frames + 1 || walk->sp + 8 >= walk->limit ||
	    !read_user(walk, walk->sp, &return_address) ||
	    !is_return_address(walk, return_address))
		return stop(walk, PPROF_END_NO_RULE);
	return push_guess(walk, walk->sp + 8, return_address);
}

/*
 * Is the PC in a trampoline? gcc writes one to the stack, or to the heap, for the address of a
 * nested function. All of it from the PC on is read, and the instruction before the jump. So a lone
 * jump of other code is no trampoline.
 */
static bool is_trampoline(const struct pprof_walk *walk)
{
	u64 at = walk->after - 1, code = 0;
	unsigned int bytes = 1;

	if (walk->next != walk->stack->frames + 1 || walk->range->table)
		return false;
	for (int i = 0; i < PPROF_ARCH_TRAMPOLINE_INSNS && bytes; i++) {
		if (!read_user(walk, at, &code))
			return false;
		bytes = pprof_arch_trampoline_bytes(code);
		at += bytes;
	}
	return pprof_arch_is_trampoline_jump(code) &&
	       read_user(walk, at - PPROF_ARCH_TRAMPOLINE_CHAIN, &code) &&
	       pprof_arch_is_trampoline_chain(code);
}

/*
 * Is the return address @bytes above sp, because the code that runs next takes just these off the
 * stack? A trampoline takes none. CPython's functions for perf (-X perf) end with an epilogue.
 */
static bool is_at_end(struct pprof_walk *walk, unsigned int *bytes)
{
	u64 code;

	if (!read_user(walk, walk->next[-1], &code))
		walk->budget -= FAULT_COST / 2;
	else if (pprof_arch_is_epilogue(code, bytes))
		return true;
	*bytes = 0;
	return is_trampoline(walk);
}

static bool step_by_frame_pointer(struct pprof_walk *walk)
{
	u64 return_address, cfa;
	unsigned int bytes;

	if (!is_at_end(walk, &bytes))
		return guess_by_frame_pointer(walk);
	cfa = walk->sp + bytes + sizeof(u64);
	if (cfa < walk->limit && read_user(walk, cfa - sizeof(u64), &return_address) &&
	    find_range(walk, return_address - 1))
		return push_caller(walk, cfa, return_address);
	return guess_by_frame_pointer(walk);
}

static bool step_without_rule(struct pprof_walk *walk)
{
	struct pprof_rule signal;

	if (!is_restoring(walk, &signal))
		return guess_leaf(walk);
	walk->next[-1]--;	/* so that the frame is in its function */
	return step_by_signal(walk, &signal);
}

/* Is the last return address 0? */
static bool is_no_frame(const struct pprof_walk *walk)
{
	return !walk->after && !walk->next[-1];
}

/*
 * An address in no range is no return address, and is removed. The stack is being rewritten, as
 * when an exception lands, or is not complete yet. A PC that was interrupted stays, in a range or
 * not. It is the one in whose frame all registers are known.
 */
static bool stop_nowhere(struct pprof_walk *walk)
{
	if (walk->next != walk->all_known)
		walk->next--;
	return stop(walk, PPROF_END_NO_RANGE);
}

/*
 * Replaces the address that a uretprobe put on the stack by the original return address. It may
 * also be a PC: the return address was just taken off the stack.
 */
static bool reveal(struct pprof_walk *walk)
{
	u64 at = walk->next[-1], real;

	walk->budget -= URETPROBE_COST;
	real = pprof_uretprobe_return(&walk->uretprobes, walk->sp - 8, at);
	if (!real && at) {
		if (walk->next != walk->all_known)
			walk->next--;
		return stop(walk, PPROF_END_URETPROBE);
	}
	if (real == at)
		walk->budget -= FAULT_COST / 2;
	walk->after += real - at;
	walk->next[-1] = real;
	return true;
}

/* While the PC is in the code of a uretprobe, the kernel uses the stack. So the walk ends there. */
static bool check_uretprobe(struct pprof_walk *walk)
{
	if (pprof_uretprobe_maybe(walk->next[-1]))
		return reveal(walk);
	if (walk->next != walk->all_known || !pprof_uretprobe_has_pc(walk->next[-1]))
		return true;
	return stop(walk, PPROF_END_URETPROBE);
}

bool pprof_walk_is_behind_breakpoint(u64 pc)
{
	u64 code;

	return read_below(TASK_SIZE_MAX - sizeof(code) + 1, pc - 1, &code) &&
	       pprof_arch_is_breakpoint(code);
}

/*
 * The kernel replaces the first byte of an instruction that has a uprobe. After that breakpoint
 * the PC is a byte too far, until handle_swbp() of the kernel sets it back. The usual instruction
 * there is a push of one byte, at the start of a function. The rule of the next byte counts on that
 * push, which has not run: the return address is still at sp. When the kernel has done the push in
 * the program's place, the PC is there, too, but sp points to the pushed register.
 */
void pprof_walk_undo_breakpoint(struct pprof_walk *walk)
{
	const struct pprof_rule *rule;
	struct pprof_rule room;
	u64 return_address;

	rule = find_rule(walk, &room);
	if (!rule || rule->cfa != PPROF_CFA_SP || rule->cfa_offset != 2 * sizeof(u64))
		return;
	if (!read_user(walk, walk->sp, &return_address) ||
	    !(is_return_address(walk, return_address) || pprof_uretprobe_has_pc(return_address)))
		return;
	walk->after--;
	walk->next[-1]--;
}

bool pprof_unwind_step(struct pprof_walk *walk)
{
	const struct pprof_rule *rule;
	struct pprof_rule room;

	if (is_no_frame(walk)) {
		walk->next--;
		return stop(walk, PPROF_END_COMPLETE);
	}
	walk->budget -= STEP_COST;
	if (walk->budget < 0)
		return stop(walk, PPROF_END_DEPTH);
	if (!check_uretprobe(walk))
		return false;
	rule = find_rule(walk, &room);
	if (!rule)
		return stop_nowhere(walk);
	switch (rule->cfa) {
	case PPROF_CFA_NONE:
		return step_without_rule(walk);
	case PPROF_CFA_END:
		keep(walk, rule);
		return stop(walk, PPROF_END_COMPLETE);
	case PPROF_CFA_SP:
	case PPROF_CFA_FP:
		keep(walk, rule);
		break;
	case PPROF_CFA_SIGNAL:
		return step_by_signal(walk, rule);
	case PPROF_CFA_CLONE:
		if (!need_parent(walk, rule))
			return false;
		break;
	case PPROF_CFA_UNSUPPORTED:
		return stop(walk, PPROF_END_UNSUPPORTED);
	case PPROF_CFA_FRAME_POINTER:
		return step_by_frame_pointer(walk);
	}
	return step_by_rule(walk, rule);
}
