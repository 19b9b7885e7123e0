/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first bytes of the page of code to which calls with a uretprobe return. The kernel makes it
 * for each process, and exports its address to no module. It is a breakpoint instruction. From 6.11
 * on it is push %rax, %rcx, %r11 and the begin of mov $__NR_uretprobe,%rax. A compiler makes no
 * code with a return address at the start of a page that begins with these bytes.
 */
#ifndef PPROF_ARCH_X86_URETPROBE_CODE_H
#define PPROF_ARCH_X86_URETPROBE_CODE_H

#include <linux/types.h>

#define PPROF_ARCH_URETPROBE_BREAKPOINT		0xcc
#define PPROF_ARCH_URETPROBE_SYSTEM_CALL	0x4fc0c74853415150ULL

#define PPROF_ARCH_URETPROBE_BYTES	32	/* at least the size of that code */

/* Does the code begin so? @code is its first 8 bytes. */
static inline bool pprof_arch_is_uretprobe(u64 code)
{
	return code == PPROF_ARCH_URETPROBE_SYSTEM_CALL ||
	       (u8)code == PPROF_ARCH_URETPROBE_BREAKPOINT;
}

/* Does the code begin so, and can a PC be @offset bytes after its start? */
static inline bool pprof_arch_is_uretprobe_pc(u64 code, u64 offset)
{
	return code == PPROF_ARCH_URETPROBE_SYSTEM_CALL ||
	       ((u8)code == PPROF_ARCH_URETPROBE_BREAKPOINT && offset <= 1);
}

#endif
