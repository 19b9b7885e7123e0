/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rule by which the kernel's unwinder finds the caller of an address of the kernel. No kernel
 * exports the ORC table. But the unwinder can be asked to step from a frame that was made for that,
 * and its step gives the rule.
 */
#ifndef PPROF_ARCH_X86_KERNEL_RULE_H
#define PPROF_ARCH_X86_KERNEL_RULE_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <asm/page_types.h>
#include <asm/unwind.h>

/* Rules of frames as large are not found. */
#define PPROF_ARCH_KERNEL_FRAME_WORDS	128

#define PPROF_ARCH_KERNEL_IMAGE	__START_KERNEL_map

/*
 * Is @address in the image of the kernel? Modules, BPF programs, and the trampolines of ftrace and
 * kprobes have memory behind it. Code of the image never makes room for other code, so its rules
 * never change.
 */
static inline bool pprof_arch_is_kernel_image(unsigned long address)
{
	return address - PPROF_ARCH_KERNEL_IMAGE < KERNEL_IMAGE_SIZE;
}

/* A rule: where the caller's stack pointer, frame pointer and return address are. */
struct pprof_arch_kernel_rule {
	enum {
		PPROF_ARCH_KERNEL_UNKNOWN,	/* all other rules */
		PPROF_ARCH_KERNEL_SP,	/* CFA: sp + cfa_words; the return address is below it */
		PPROF_ARCH_KERNEL_FP,	/* CFA: fp + 2 words; the caller's fp is at fp */
		/* CFA: at fp - cfa_words; the caller's fp is at fp. The stack is aligned. */
		PPROF_ARCH_KERNEL_ALIGNED,
		PPROF_ARCH_KERNEL_ENTRY,	/* sp + cfa_words: registers saved at an entry */
	} kind;
	u8 cfa_words;
	u8 fp_words;	/* the caller's fp is so far below the CFA; 0: it is unchanged */
};

#ifdef CONFIG_UNWINDER_ORC
struct pprof_arch_kernel_frame {
	unsigned long words[PPROF_ARCH_KERNEL_FRAME_WORDS];
};

/* Numbers the words from 1 on: none of them is the address of a stack. */
static inline void pprof_arch_kernel_number(struct pprof_arch_kernel_frame *frame)
{
	for (unsigned int i = 0; i < PPROF_ARCH_KERNEL_FRAME_WORDS; i++)
		frame->words[i] = i + 1;
}

/* Lets each word of the first half have the address of its own word in the second. */
static inline void pprof_arch_kernel_point(struct pprof_arch_kernel_frame *frame)
{
	const unsigned int half = PPROF_ARCH_KERNEL_FRAME_WORDS / 2;

	for (unsigned int i = 0; i < half; i++)
		frame->words[i] = (unsigned long)&frame->words[i + half];
}

/*
 * Steps from a frame in @frame, at whose first word the stack pointer is.
 * Returns: false if the unwinder has found no caller.
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
 * Returns the number of words from the frame's first to @address; 0: it is not in the frame, or is
 * its first.
 */
static inline u8 pprof_arch_kernel_words(const struct pprof_arch_kernel_frame *frame,
					 unsigned long address)
{
	unsigned long bytes = address - (unsigned long)frame->words;

	return bytes < sizeof(frame->words) && bytes % sizeof(long) == 0 ? bytes / sizeof(long) : 0;
}

/* Returns the index of the CFA if the caller's frame pointer is at the frame pointer; else 0. */
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
 * The step depends on the frame pointer if it succeeds with two of them, and its end moves with
 * them.
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
 * The frame pointer is no address of a stack in the first step, as the words of the frame are not.
 * So that step succeeds only by a rule that needs nothing but the stack pointer.
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
