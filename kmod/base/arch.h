/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of the CPU: all that is x86-64 about the module. */
#ifndef PPROF_ARCH_H
#define PPROF_ARCH_H

#include <linux/hardirq.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include <asm/cpufeature.h>
#include <asm/irq_regs.h>
#include <asm/prctl.h>

#include "base/uretprobe.h"
#include "base/compat.h"
#include "base/regs.h"
#include "uapi/pprof.h"

/*
 * On a PV guest of Xen, dom0 among them, exit_mmap() unpins page tables that a kernel
 * thread may still use, if that holds the mm but not its users (xen_exit_mmap(), and
 * pprof_access_grab()); nor was anything else of the module ever run there. Any context.
 */
static inline bool pprof_arch_is_supported(void)
{
	return !cpu_feature_enabled(X86_FEATURE_XENPV);
}

/* False if these are no registers of user code. */
static inline bool pprof_arch_set_regs(struct pprof_regs *regs, struct pt_regs *user)
{
	regs->ip = user->ip;
	regs->sp = user->sp;
	regs->bp = user->bp;
	regs->all = (const unsigned long *)user;
	regs->awaited = NULL;
	regs->compat = !user_64bit_mode(user);
	return user_mode(user);
}

/*
 * The calls of current whose return is awaited; NULL where it may be changing
 * them itself: it frees some before it takes them off the list. It does so behind a
 * breakpoint, which is neither a system call nor user code that we have just
 * interrupted; in a system call of its own (6.11), which says first that it is none; and
 * as it ends, where kernels without b583ef82b671 ("uprobes: Fix race in
 * uprobe_free_utask") free all before they forget them.
 */
static inline const struct return_instance *pprof_arch_awaited(const struct pt_regs *user)
{
	const struct return_instance *calls;

	if (current->flags & PF_EXITING)
		return NULL;
	calls = pprof_return_instances(current);
	if (!calls || (long)user->orig_ax >= 0 || (in_hardirq() && get_irq_regs() == user))
		return calls;
	return NULL;
}

/* Does current's CPU compare return addresses with copies of its own? */
#ifdef CONFIG_X86_USER_SHADOW_STACK
static inline bool pprof_arch_has_shadow_stack(void)
{
	return current->thread.features & ARCH_SHSTK_SHSTK;
}
#else
static inline bool pprof_arch_has_shadow_stack(void)
{
	return false;
}
#endif

/*
 * The user registers of current, as they were when it entered the kernel.
 * Returns false where there are none worth reading: an exiting task has no
 * user memory any more, io and vhost workers never ran in user mode, and with a
 * borrowed mm (active_mm differs) the user addresses would be somebody else's.
 * In execve() the new memory comes before the new registers. Any context that
 * current can be in.
 */
static inline bool pprof_arch_user_regs(struct pprof_regs *regs)
{
	if (!current->mm || current->mm != current->active_mm || current->in_execve)
		return false;
	if (current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return false;
	if (!pprof_arch_set_regs(regs, task_pt_regs(current)))
		return false;
	regs->awaited = pprof_arch_awaited(task_pt_regs(current));
	return true;
}

/*
 * The user registers of @task, which is current, if it is 64-bit code in the
 * system call @nr; else NULL. Any context.
 */
static inline const struct pt_regs *pprof_arch_in_syscall(struct task_struct *task, int nr)
{
	struct pt_regs *user = task_pt_regs(task);

	if ((int)user->orig_ax != nr || !task->mm || !user_64bit_mode(user))
		return NULL;
	return task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ? NULL : user;
}

/*
 * The number of the system call with which @user entered the kernel, PPROF_NO_SYSCALL
 * if it was an exception, or 32-bit code, whose numbers are others. Any context.
 */
static inline u64 pprof_arch_syscall_of(struct pt_regs *user)
{
	int nr = user->orig_ax;

	return nr < 0 || !user_64bit_mode(user) ? PPROF_NO_SYSCALL : nr;
}

/* That of @task, which waits, or is current. */
static inline u64 pprof_arch_syscall(struct task_struct *task)
{
	return pprof_arch_syscall_of(task_pt_regs(task));
}

#endif
