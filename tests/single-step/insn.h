/* SPDX-License-Identifier: GPL-2.0 */
/* Recognises the x86-64 instructions that move return addresses. */
#ifndef SINGLE_STEP_INSN_H
#define SINGLE_STEP_INSN_H

#include <stddef.h>
#include <stdint.h>

#define INSN_MAX_BYTES	15

enum insn {
	INSN_OTHER,
	INSN_CALL,	/* pushes the address after it; far calls are INSN_OTHER */
	INSN_POP,	/* into a register or to memory */
	INSN_PUSH_RBP,
	INSN_SYSCALL,
	INSN_LOAD_SP,	/* moves memory or another register than rbp to rsp */
};

/* Returns the kind of the instruction at code; INSN_OTHER if size bytes are too few. */
enum insn insn_kind(const uint8_t *code, size_t size);

#endif
