/* SPDX-License-Identifier: GPL-2.0 */
/* The registers by the names of the kernel, and not by those of user space. */
#ifndef SHIM_PTRACE_H
#define SHIM_PTRACE_H

#include <linux/types.h>

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

/* The selectors of the kernel's and of user code: Linux's GDT. */
#define __KERNEL_CS	0x10
#define SHIM_USER_CS	0x33
#define SHIM_USER32_CS	0x23

#define regs_get_kernel_argument(regs, nr)	((void)(nr), (regs)->di)
#define instruction_pointer(regs)	((regs)->ip)
#define kernel_stack_pointer(regs)	((regs)->sp)
#define user_stack_pointer(regs)	((regs)->sp)
#define user_mode(regs)		(((regs)->cs & 3) == 3)
#define user_64bit_mode(regs)	((regs)->cs == SHIM_USER_CS)

#endif
