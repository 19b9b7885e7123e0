/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_TRAMPOLINE_H
#define PPROF_ARCH_X86_TRAMPOLINE_H

#include <linux/types.h>

/*
 * gcc's trampoline: perhaps endbr64; mov $function,%r11; mov $chain,%r10; jmp *%r11. The first mov
 * has an operand of 64 or 32 bits. See ix86_trampoline_init() of gcc. @code is 8 bytes of code as a
 * little-endian word.
 * Context of all functions here: any.
 */
#define PPROF_ARCH_TRAMPOLINE_INSNS	4
#define PPROF_ARCH_TRAMPOLINE_CHAIN	10	/* bytes of the instruction before the jump */

/* Does @code begin with mov $chain,%r10? */
static inline bool pprof_arch_is_trampoline_chain(u64 code)
{
	return (u16)code == 0xba49;
}

/*
 * Returns the length in bytes of the first instruction of @code, if it may stand before the jump of
 * a trampoline. Otherwise returns 0.
 */
static inline unsigned int pprof_arch_trampoline_bytes(u64 code)
{
	if ((u16)code == 0xbb49 || pprof_arch_is_trampoline_chain(code))
		return 10;
	if ((u16)code == 0xbb41)
		return 6;
	return (u32)code == 0xfa1e0ff3 ? 4 : 0;
}

/*
 * Does @code begin with jmp *%r11? gcc sets a bit of the prefix in trampolines on the stack, and
 * does not set it in those on the heap.
 */
static inline bool pprof_arch_is_trampoline_jump(u64 code)
{
	return (code & 0xfffff7) == 0xe3ff41;
}

#endif
