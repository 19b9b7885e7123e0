// SPDX-License-Identifier: GPL-2.0
#include "insn.h"

#include <stdbool.h>
#include <string.h>

#define OPCODE_TWO_BYTES	0x0f
#define OPCODE_PUSH_RBP		0x55	/* without REX; r13 with one */
#define OPCODE_POP_RAX		0x58	/* and seven more */
#define OPCODE_POP		0x8f	/* to memory, if the next byte says so */
#define OPCODE_STORE		0x89
#define OPCODE_LOAD		0x8b
#define OPCODE_CALL		0xe8
#define OPCODE_GROUP_5		0xff	/* the next byte selects the instruction */
#define GROUP_5_CALL		2

/* Segments, sizes, lock, repetition, bnd and notrack. */
static bool is_prefix(uint8_t byte)
{
	return byte && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte);
}

/* REX is the last prefix. It selects registers 8 to 15, and operands of 64 bits. */
static bool is_rex(uint8_t byte)
{
	return (byte & 0xf0) == 0x40;
}

static bool loads_sp(uint8_t rex, const uint8_t *code)
{
	if (code[0] == OPCODE_LOAD)
		return (rex & 0xc) == 8 && (code[1] & 0x38) == 0x20;
	return code[0] == OPCODE_STORE && (rex & 0x9) == 8 && (code[1] & 0xc7) == 0xc4 &&
	       ((rex & 4) || code[1] != 0xec);
}

enum insn insn_kind(const uint8_t *code, size_t size)
{
	const uint8_t *end = code + size;
	uint8_t rex = 0;

	while (code < end && is_prefix(*code))
		code++;
	if (code < end && is_rex(*code))
		rex = *code++;
	if (code == end)
		return INSN_OTHER;
	if (*code == OPCODE_PUSH_RBP && !(rex & 1))
		return INSN_PUSH_RBP;
	if (*code == OPCODE_CALL)
		return INSN_CALL;
	if ((*code & 0xf8) == OPCODE_POP_RAX)
		return INSN_POP;
	if (end - code < 2)
		return INSN_OTHER;
	if (*code == OPCODE_GROUP_5 && (code[1] >> 3 & 7) == GROUP_5_CALL)
		return INSN_CALL;
	if (*code == OPCODE_POP && !(code[1] >> 3 & 7))
		return INSN_POP;
	if (loads_sp(rex, code))
		return INSN_LOAD_SP;
	if (*code == OPCODE_TWO_BYTES && code[1] == 0x05)
		return INSN_SYSCALL;
	return INSN_OTHER;
}
