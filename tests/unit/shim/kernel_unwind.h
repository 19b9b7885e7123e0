/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's unwinder, and the interrupt in which it runs. The compiler's option -include adds
 * it. The test makes up the frames.
 */
#ifndef SHIM_KERNEL_UNWIND_H
#define SHIM_KERNEL_UNWIND_H

#define SHIM_HARDIRQ_H
#define SHIM_IRQ_REGS_H

#include <linux/ptrace.h>
#include <linux/types.h>

extern bool shim_in_hardirq;
extern struct pt_regs *shim_irq_regs;

#define in_hardirq()	shim_in_hardirq
#define get_irq_regs()	shim_irq_regs

struct module;
bool within_module(unsigned long address, const struct module *module);

/* A frame has regs if an interrupt saved them. The list ends with a frame without an address. */
struct shim_frame {
	unsigned long address;
	struct pt_regs *regs;
};

struct task_struct;

struct unwind_state {
	const struct shim_frame *frame;	/* NULL: done */
	bool error;
	/* Of a step that a test of rules computes */
	bool signal, full_regs;
	unsigned long sp, bp;
	struct pt_regs *regs;
};

void unwind_start(struct unwind_state *state, struct task_struct *task, struct pt_regs *regs,
		  unsigned long *first_frame);
bool unwind_next_frame(struct unwind_state *state);

static inline bool unwind_done(const struct unwind_state *state)
{
	return !state->frame;
}

static inline bool unwind_error(const struct unwind_state *state)
{
	return state->error;
}

static inline struct pt_regs *unwind_get_entry_regs(const struct unwind_state *state, bool *partial)
{
	return state->frame ? state->frame->regs : NULL;
}

/* 0 for an address that is not of the kernel. */
static inline unsigned long unwind_get_return_address(const struct unwind_state *state)
{
	return state->frame && (long)state->frame->address < 0 ? state->frame->address : 0;
}

#endif
