/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_TRAMPOLINE_H
#define PPROF_ARCH_X86_TRAMPOLINE_H

#include <linux/types.h>

/*
 * gcc's trampoline: endbr64, if at all; mov $function,%r11; mov $chain,%r10; jmp *%r11. The first
 * mov has 64 or 32 bits. See ix86_trampoline_init() of gcc.
 */
#define PPROF_ARCH_TRAMPOLINE_INSNS	4
#define PPROF_ARCH_TRAMPOLINE_CHAIN	10	/* bytes of the instruction before the jump */

static inline bool pprof_arch_is_trampoline_chain(u64 code)
{
	return (u16)code == 0xba49;
}

/*
 * Returns the bytes of the instruction that @code begins with, if it may stand before the jump of a
 * trampoline. Otherwise returns 0.
 */
static inline unsigned int pprof_arch_trampoline_bytes(u64 code)
{
	if ((u16)code == 0xbb49 || pprof_arch_is_trampoline_chain(code))
		return 10;
	if ((u16)code == 0xbb41)
		return 6;
	return (u32)code == 0xfa1e0ff3 ? 4 : 0;
}

/* gcc sets a bit of the prefix on the stack that it does not set on the heap. */
static inline bool pprof_arch_is_trampoline_jump(u64 code)
{
	return (code & 0xfffff7) == 0xe3ff41;
}

#endif
