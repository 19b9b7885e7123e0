/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first bytes of the page of code to which calls with a uretprobe return. The kernel makes the
 * page for each process, and does not export its address. Up to 6.10 its code is a breakpoint
 * instruction. From 6.11 on it pushes rax, rcx and r11, and then begins mov $__NR_uretprobe,%rax.
 * No compiler puts a return address at the start of a page that begins with these bytes.
 * Context of all functions here: any.
 */
#ifndef PPROF_ARCH_X86_URETPROBE_CODE_H
#define PPROF_ARCH_X86_URETPROBE_CODE_H

#include <linux/types.h>

#define PPROF_ARCH_URETPROBE_BREAKPOINT		0xcc
#define PPROF_ARCH_URETPROBE_SYSTEM_CALL	0x4fc0c74853415150ULL

#define PPROF_ARCH_URETPROBE_BYTES	32	/* at least the size of that code */

/* Does the code of a uretprobe begin with @code, 8 bytes as a little-endian word? */
static inline bool pprof_arch_is_uretprobe(u64 code)
{
	return code == PPROF_ARCH_URETPROBE_SYSTEM_CALL ||
	       (u8)code == PPROF_ARCH_URETPROBE_BREAKPOINT;
}

/* The same. And can a PC be @offset bytes after the start of that code? */
static inline bool pprof_arch_is_uretprobe_pc(u64 code, u64 offset)
{
	return code == PPROF_ARCH_URETPROBE_SYSTEM_CALL ||
	       ((u8)code == PPROF_ARCH_URETPROBE_BREAKPOINT && offset <= 1);
}

#endif
