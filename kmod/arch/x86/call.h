/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_CALL_H
#define PPROF_ARCH_X86_CALL_H

#include <linux/types.h>

/*
 * @code is 8 bytes of code as a little-endian word: its low byte is the first one in memory. Where
 * a function asks how @code ends, these are the 8 bytes before a return address.
 * Context of all functions here: any.
 */

/* Does @code begin with the instruction that a uprobe writes? See UPROBE_SWBP_INSN. */
static inline bool pprof_arch_is_breakpoint(u64 code)
{
	return (u8)code == 0xcc;
}

/* Does @code end with a direct call: opcode e8 and an offset of 32 bits? */
static inline bool pprof_arch_ends_with_direct_call(u64 code)
{
	return (code >> 24 & 0xff) == 0xe8;
}

/* Returns the target of that call. @after is the address after it. */
static inline u64 pprof_arch_call_target(u64 code, u64 after)
{
	return after + (s32)(code >> 32);
}

/* Does @code end with an indirect call of @bytes: opcode ff, with 2 in the reg field of ModRM? */
static inline bool pprof_arch_ends_with_indirect_call(u64 code, unsigned int bytes)
{
	return (code >> 8 * (8 - bytes) & 0x38ff) == 0x10ff;
}

/* May @code end with a call? Indirect calls have 2, 3, 4, 6 or 7 bytes without a prefix. */
static inline bool pprof_arch_ends_with_call(u64 code)
{
	return pprof_arch_ends_with_direct_call(code) ||
	       pprof_arch_ends_with_indirect_call(code, 2) ||
	       pprof_arch_ends_with_indirect_call(code, 3) ||
	       pprof_arch_ends_with_indirect_call(code, 4) ||
	       pprof_arch_ends_with_indirect_call(code, 6) ||
	       pprof_arch_ends_with_indirect_call(code, 7);
}

#endif
