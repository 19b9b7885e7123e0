/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The true stack of a thread, by its instructions: a call adds a frame, and a frame ends when the
 * stack pointer has risen above it. That covers ret, longjmp() and exceptions. No unwind
 * information is used.
 *
 * After truth_follow_switches() coroutines are followed. A switch to another stack is one of two
 * things. Either the code there is called, as by systemstack() of Go: then the frames of the stack
 * that was left are its callers. Or a coroutine goes on: then it has the frames that it had when it
 * was left. Of a coroutine that was not seen before, only the frames since then are known. C that
 * calls Go is not followed: Go then runs on a stack that was left and not returned to.
 *
 * If the next instruction sets rbp to 0, the stack that was left has no callers of this one, as
 * with mcall() of Go. Its frames are known again when it goes on.
 */
#ifndef SINGLE_STEP_TRUTH_H
#define SINGLE_STEP_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insn.h"

struct truth;

/*
 * From now on each far move of rsp from memory or from a register is a switch to another stack.
 * This is for programs without longjmp().
 */
void truth_follow_switches(void);

/* Has the stack further callers, which are not known? */
bool truth_is_partial(const struct truth *t);

/* The registers at an instruction boundary. */
struct truth_regs {
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;
};

/*
 * Returns an empty stack, that of a new program or thread. truth_free() frees it. The functions
 * here exit without memory.
 */
struct truth *truth_new(void);

/* Returns a copy, for the child of a fork. */
struct truth *truth_copy(const struct truth *t);

/* Frees the stack. t may be NULL. */
void truth_free(struct truth *t);

/* Empties the stack: the thread is at the first instruction of a program or of itself. */
void truth_reset(struct truth *t);

/*
 * Follows an instruction of this kind, which ran, or began to run and was interrupted. Memory is
 * read as it is after the instruction.
 */
void truth_step(struct truth *t, enum insn kind, const struct truth_regs *before,
		const struct truth_regs *after);

/*
 * Follows the delivery of a signal between two boundaries.
 * Returns: false if there is no frame of a handler: the signal was ignored, and an instruction ran.
 */
bool truth_signal(struct truth *t, const struct truth_regs *before,
		  const struct truth_regs *after);

/* Writes the stack at pc, leaf first, at most max frames. Returns: how many frames it has. */
size_t truth_frames(const struct truth *t, uint64_t pc, uint64_t *frames, size_t max);

/*
 * Has rsp risen over frames, by longjmp() or for the handler of an exception, before the jump to
 * the new code? Then no stack is the true one, and none is checked.
 */
bool truth_is_moving(const struct truth *t);

/*
 * Are the return addresses, and the first rbp that each function saved, still on the stack? Code
 * that prepares the landing of an exception overwrites some of them. Then no stack is checked.
 */
bool truth_is_intact(const struct truth *t);

#endif
