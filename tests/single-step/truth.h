/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The true stack of a thread, from what its instructions do: a call adds a
 * frame, and a frame is gone once the stack pointer has risen above it. That
 * covers ret, and longjmp, exceptions and whatever else cuts the stack.
 * Nothing of it comes from unwind information.
 *
 * Coroutines are followed if truth_follow_switches() says so. A switch to a stack is one of two
 * things. The code there is called, as systemstack() of Go does it: then the frames of the stack
 * that was left are its callers. Or a coroutine runs on: then its frames are those that it had when
 * it was left. Of a coroutine that was not seen before, only the frames since then are known.
 * C that calls Go is not followed: Go then runs on a stack that was left and not returned to.
 */
#ifndef SHADOW_TRUTH_H
#define SHADOW_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insn.h"

struct truth;

/*
 * Takes each far move of rsp from memory or from a register for a switch to another stack. So it
 * is for programs without longjmp().
 */
void truth_follow_switches(void);

/* Has the stack further callers, which are not known? */
bool truth_is_partial(const struct truth *t);

/* At an instruction boundary. */
struct truth_regs {
	uint64_t pc;
	uint64_t sp;
};

/* Empty: that of a new program or thread. They exit if memory is out. */
struct truth *truth_new(void);

/* For the child of a fork. */
struct truth *truth_copy(const struct truth *t);

/* NULL is fine. */
void truth_free(struct truth *t);

/* Nothing has been called yet: a program's or a thread's first instruction. */
void truth_reset(struct truth *t);

/*
 * An instruction of this kind ran, or began to and was interrupted. What it
 * stored is read from memory, which shows the time after it.
 */
void truth_step(struct truth *t, enum insn kind, const struct truth_regs *before,
		const struct truth_regs *after);

/*
 * A signal was delivered between the two. False if there is no frame of a
 * handler: it was ignored, and an instruction ran.
 */
bool truth_signal(struct truth *t, const struct truth_regs *before,
		  const struct truth_regs *after);

/* Writes the stack at pc, leaf first, at most max frames. How many it has. */
size_t truth_frames(const struct truth *t, uint64_t pc, uint64_t *frames, size_t max);

/*
 * Has rsp been moved over frames, by longjmp() or to an exception's handler,
 * and the jump there is still to come? Whose stack it is then is a matter of
 * opinion.
 */
bool truth_is_moving(const struct truth *t);

/*
 * Does what was saved in the stack still stand there, return addresses and each
 * function's first rbp? While an exception's landing is prepared some of it is
 * overwritten, and there is no stack to walk.
 */
bool truth_is_intact(const struct truth *t);

#endif
