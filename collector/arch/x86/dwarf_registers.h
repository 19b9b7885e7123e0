/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_ARCH_X86_DWARF_REGISTERS_H
#define COLLECTOR_ARCH_X86_DWARF_REGISTERS_H

/* Numbers of the System V ABI for x86-64, figure 3.36. */
#define ARCH_REG_RESULT		0	/* rax: the result of a function or a system call */
#define ARCH_REG_BASE		3	/* rbx */
#define ARCH_REG_FP		6	/* rbp */
#define ARCH_REG_SP		7	/* rsp */
#define ARCH_NR_REGS		16	/* general registers: the numbers below this one */

/*
 * Offsets in a struct ucontext. From byte 40 on it has the registers, of 8 bytes each: r8 to r15,
 * rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
 */
#define ARCH_UCONTEXT_FP	120
#define ARCH_UCONTEXT_SP	160
#define ARCH_UCONTEXT_PC	168

#endif /* COLLECTOR_ARCH_X86_DWARF_REGISTERS_H */
