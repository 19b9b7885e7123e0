/* SPDX-License-Identifier: GPL-2.0 */
/* Walks a user stack by frame pointers. */
#ifndef PPROF_FRAME_POINTER_H
#define PPROF_FRAME_POINTER_H

#include "unwind/stack.h"

/*
 * Walks current's user stack from @regs. The caller sets frames and max of @stack, and owns the
 * memory of frames. The walk faults no page in. It reads 2 words of user memory a frame, and one
 * more where a uretprobe is possible.
 * Context: any, with current's mm loaded. Does not sleep.
 */
void pprof_unwind_fp(struct pprof_stack *stack, const struct pprof_regs *regs);

#endif
