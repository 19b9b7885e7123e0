/* SPDX-License-Identifier: GPL-2.0 */
/* As much of an x86-64 instruction as moves return addresses. */
#ifndef SHADOW_INSN_H
#define SHADOW_INSN_H

#include <stddef.h>
#include <stdint.h>

#define INSN_MAX_BYTES	15

enum insn {
	INSN_OTHER,
	INSN_CALL,	/* pushes the address behind it; far calls are not told */
	INSN_POP,	/* into a register or to memory */
	INSN_PUSH_RBP,
	INSN_SYSCALL,
	INSN_LOAD_SP,	/* moves memory or another register than rbp to rsp */
};

/* What stands in the first of size bytes; INSN_OTHER if they are too few. */
enum insn insn_kind(const uint8_t *code, size_t size);

#endif
