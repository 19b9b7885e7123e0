/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_UNWIND_REGS_H
#define PPROF_ARCH_X86_UNWIND_REGS_H

#include <linux/elf-em.h>
#include <linux/types.h>

/* Context of all functions here: any. */

#define PPROF_ARCH_MACHINE	EM_X86_64

/* Numbers of the System V ABI for x86-64, figure 3.36. */
#define PPROF_ARCH_REG_BASE	3	/* rbx */
#define PPROF_ARCH_REG_FP	6	/* rbp */
#define PPROF_ARCH_REG_SP	7	/* rsp */

/* Bytes from the start of a signal's ucontext to its sigcontext, which has the registers. */
#define PPROF_ARCH_UCONTEXT_REGS	40

/* Returns register @reg, below 16, of the words of a struct pt_regs. */
static inline u64 pprof_arch_reg(const unsigned long *words, u8 reg)
{
	static const u8 word_of[] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };

	return words[word_of[reg]];
}

/*
 * Are the words of a struct pt_regs those of a system call? After an interrupt or an exception
 * orig_ax is negative. It is pprof_arch_is_in_syscall() for a copy of the registers.
 */
static inline bool pprof_arch_has_syscall(const unsigned long *words)
{
	return (long)words[15] >= 0;
}

/* Returns the address of register @reg, below 16, in the sigcontext at @sigcontext. */
static inline u64 pprof_arch_signal_reg(u64 sigcontext, u8 reg)
{
	static const u8 word_of[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };

	return sigcontext + 8 * word_of[reg];
}

/* Returns the address of the PC in the sigcontext at @sigcontext. */
static inline u64 pprof_arch_signal_pc(u64 sigcontext)
{
	return sigcontext + 8 * 16;
}

#endif
