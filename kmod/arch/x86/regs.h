/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_REGS_H
#define PPROF_ARCH_X86_REGS_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include <asm/cpufeature.h>

/*
 * Returns: false on a PV guest of Xen, dom0 included. There exit_mmap() unpins page tables that a
 * kernel thread may still use: it has a reference to the mm (mmgrab()), which does not delay
 * exit_mmap(). See xen_exit_mmap() and pprof_access_grab(). The module was never tested there.
 * Context of all functions here: any.
 */
static inline bool pprof_arch_is_supported(void)
{
	return !cpu_feature_enabled(X86_FEATURE_XENPV);
}

/* The message if it is not supported. */
#define PPROF_ARCH_UNSUPPORTED	"PV guests of Xen, dom0 among them, are not supported"

/* Returns the frame pointer. */
static inline u64 pprof_arch_fp(const struct pt_regs *user)
{
	return user->bp;
}

/* Is @user of 32-bit code? Such code numbers system calls differently, too. */
static inline bool pprof_arch_is_compat(struct pt_regs *user)
{
	return !user_64bit_mode(user);
}

/* Returns the number of the system call. It is negative after an exception or an interrupt. */
static inline int pprof_arch_syscall_nr(const struct pt_regs *user)
{
	return user->orig_ax;
}

/*
 * Returns argument @n, 0 to 2. @user is at a system call, or at the first instruction of a
 * function. System V ABI for x86-64, section 3.2.3 and appendix A.2.1.
 */
static inline u64 pprof_arch_arg(const struct pt_regs *user, unsigned int n)
{
	return n == 0 ? user->di : n == 1 ? user->si : user->dx;
}

/*
 * Returns the stack pointer that a function had at its first instruction. @user is right after its
 * return: the return address is off the stack.
 */
static inline u64 pprof_arch_sp_of_call(struct pt_regs *user)
{
	return user_stack_pointer(user) - sizeof(u64);
}

/*
 * Did @user enter the kernel by a system call? The uretprobe system call (6.11) sets orig_ax to no
 * system call before it changes current's list of calls with a uretprobe.
 */
static inline bool pprof_arch_is_in_syscall(const struct pt_regs *user)
{
	return (long)user->orig_ax >= 0;
}

#endif
