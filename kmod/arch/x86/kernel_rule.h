/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the rule by which the kernel's unwinder comes from an address of the kernel to the caller.
 * The kernel does not export its ORC table to modules. But its unwinder can be started at a made-up
 * frame, whose words are known. The result of one step shows the rule.
 */
#ifndef PPROF_ARCH_X86_KERNEL_RULE_H
#define PPROF_ARCH_X86_KERNEL_RULE_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <asm/page_types.h>
#include <asm/unwind.h>

/* Words of the made-up frame. A rule for a frame of this size or more is not found. */
#define PPROF_ARCH_KERNEL_FRAME_WORDS	128

/* The lowest address that the image of the kernel may have. */
#define PPROF_ARCH_KERNEL_IMAGE	__START_KERNEL_map

/*
 * Is @address in the image of the kernel? Modules, BPF programs, and the trampolines of ftrace and
 * kprobes are at higher addresses. Code of the image is never replaced by other functions, so its
 * rules never change.
 * Context: any.
 */
static inline bool pprof_arch_is_kernel_image(unsigned long address)
{
	return address - PPROF_ARCH_KERNEL_IMAGE < KERNEL_IMAGE_SIZE;
}

/*
 * A rule: how the caller's stack pointer, frame pointer and return address are found. The CFA is
 * the caller's stack pointer. A word has 8 bytes. sp is rsp, and fp is rbp.
 */
struct pprof_arch_kernel_rule {
	enum {
		PPROF_ARCH_KERNEL_UNKNOWN,	/* none of the rules below */
		PPROF_ARCH_KERNEL_SP,	/* CFA: sp + cfa_words; the return address is below it */
		PPROF_ARCH_KERNEL_FP,	/* CFA: fp + 2 words; the caller's fp is at fp */
		/* CFA: at fp - cfa_words; the caller's fp is at fp. The stack is aligned. */
		PPROF_ARCH_KERNEL_ALIGNED,
		PPROF_ARCH_KERNEL_ENTRY,	/* sp + cfa_words: struct pt_regs of an entry */
	} kind;
	u8 cfa_words;
	u8 fp_words;	/* SP: the caller's fp is so many words below the CFA; 0: it is unchanged */
};

#ifdef CONFIG_UNWINDER_ORC
struct pprof_arch_kernel_frame {
	unsigned long words[PPROF_ARCH_KERNEL_FRAME_WORDS];
};

/* Sets word i to i + 1. So the value of a word shows its place, and is no address of a stack. */
static inline void pprof_arch_kernel_number(struct pprof_arch_kernel_frame *frame)
{
	for (unsigned int i = 0; i < PPROF_ARCH_KERNEL_FRAME_WORDS; i++)
		frame->words[i] = i + 1;
}

/* Makes each word of the first half point to the word half a frame above it. */
static inline void pprof_arch_kernel_point(struct pprof_arch_kernel_frame *frame)
{
	const unsigned int half = PPROF_ARCH_KERNEL_FRAME_WORDS / 2;

	for (unsigned int i = 0; i < half; i++)
		frame->words[i] = (unsigned long)&frame->words[i + half];
}

/*
 * Lets the unwinder take one step from code at @address, with the stack pointer at the first word
 * of @frame, and the frame pointer @fp.
 * Returns: false if it has found no caller; else @state is that of the caller.
 */
static inline bool pprof_arch_kernel_step(struct unwind_state *state, unsigned long address,
					  struct pprof_arch_kernel_frame *frame, unsigned long fp)
{
	struct pt_regs regs = {
		.ip = address,
		.cs = __KERNEL_CS,
		.sp = (unsigned long)frame->words,
		.bp = fp,
	};

	unwind_start(state, current, &regs, NULL);	/* takes one step */
	return !unwind_done(state) && !state->error;
}

/*
 * Returns the index of the word of @frame at @address. 0: @address is not in the frame, or is its
 * first word.
 */
static inline u8 pprof_arch_kernel_words(const struct pprof_arch_kernel_frame *frame,
					 unsigned long address)
{
	unsigned long bytes = address - (unsigned long)frame->words;

	return bytes < sizeof(frame->words) && bytes % sizeof(long) == 0 ? bytes / sizeof(long) : 0;
}

/*
 * Takes a step whose frame pointer is at word @at.
 * Returns: the index of the word at the CFA, if the caller's frame pointer is word @at; else 0.
 */
static inline unsigned int pprof_arch_kernel_cfa_by_fp(unsigned long address,
						       struct pprof_arch_kernel_frame *frame,
						       unsigned int at)
{
	unsigned long *fp = &frame->words[at];
	struct unwind_state state;

	if (!pprof_arch_kernel_step(&state, address, frame, (unsigned long)fp) || state.regs ||
	    state.signal || state.bp != *fp)
		return 0;
	return pprof_arch_kernel_words(frame, state.sp);
}

/*
 * Finds a rule that uses the frame pointer. It takes the step with two frame pointers. The rule is
 * FP if both CFAs are 2 words above them. It is ALIGNED if the CFA is read from the stack: then the
 * two CFAs, which the words of the first half point to, are as far apart as the frame pointers.
 */
static inline struct pprof_arch_kernel_rule
pprof_arch_kernel_rule_by_fp(unsigned long address, struct pprof_arch_kernel_frame *frame)
{
	const unsigned int half = PPROF_ARCH_KERNEL_FRAME_WORDS / 2, a = half / 2, b = half - 4;
	struct pprof_arch_kernel_rule rule = { PPROF_ARCH_KERNEL_UNKNOWN };
	unsigned int cfa;

	if (pprof_arch_kernel_cfa_by_fp(address, frame, a) == a + 2 &&
	    pprof_arch_kernel_cfa_by_fp(address, frame, b) == b + 2) {
		rule.kind = PPROF_ARCH_KERNEL_FP;
		return rule;
	}
	pprof_arch_kernel_point(frame);
	cfa = pprof_arch_kernel_cfa_by_fp(address, frame, a);
	if (cfa >= half && cfa < half + a &&
	    pprof_arch_kernel_cfa_by_fp(address, frame, b) == cfa + b - a) {
		rule.kind = PPROF_ARCH_KERNEL_ALIGNED;
		rule.cfa_words = half + a - cfa;
	}
	return rule;
}

/*
 * Finds the rule of the code at @address, which must be in the image of the kernel. Neither the
 * frame pointer of the first step nor a word of the frame is an address of a stack. So this step
 * succeeds only by a rule that uses nothing but the stack pointer.
 *
 * Returns: the rule. Its kind is PPROF_ARCH_KERNEL_UNKNOWN if there is none of these kinds, or the
 * kernel has no ORC unwinder.
 * Context: any. Needs 1 KiB of stack for the frame.
 */
static inline struct pprof_arch_kernel_rule pprof_arch_kernel_rule(unsigned long address)
{
	const unsigned long none = PPROF_ARCH_KERNEL_FRAME_WORDS + 1;
	struct pprof_arch_kernel_rule rule = { PPROF_ARCH_KERNEL_UNKNOWN };
	struct pprof_arch_kernel_frame frame;
	struct unwind_state state;

	pprof_arch_kernel_number(&frame);
	if (!pprof_arch_kernel_step(&state, address, &frame, none))
		return pprof_arch_kernel_rule_by_fp(address, &frame);
	if (state.regs) {
		rule.cfa_words = pprof_arch_kernel_words(&frame, (unsigned long)state.regs);
		if (state.full_regs && (rule.cfa_words || state.regs == (void *)frame.words))
			rule.kind = PPROF_ARCH_KERNEL_ENTRY;
	} else {
		rule.cfa_words = pprof_arch_kernel_words(&frame, state.sp);
		if (state.bp != none)
			rule.fp_words = rule.cfa_words + 1 - state.bp;
		if (rule.cfa_words && !state.signal &&
		    (state.bp == none || state.bp - 1 < rule.cfa_words))
			rule.kind = PPROF_ARCH_KERNEL_SP;
	}
	return rule;
}
#else
static inline struct pprof_arch_kernel_rule pprof_arch_kernel_rule(unsigned long address)
{
	return (struct pprof_arch_kernel_rule) { PPROF_ARCH_KERNEL_UNKNOWN };
}
#endif

#endif
