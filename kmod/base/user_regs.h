/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of the CPU. All code of the module that depends on x86-64 is here. */
#ifndef PPROF_USER_REGS_H
#define PPROF_USER_REGS_H

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
 * Returns: false on a PV guest of Xen, dom0 included. There exit_mmap() unpins page tables, while a
 * kernel thread may still use them, if it holds the mm but not its users. See xen_exit_mmap() and
 * pprof_access_grab(). The module was never tested there.
 * Context: any.
 */
static inline bool pprof_arch_is_supported(void)
{
	return !cpu_feature_enabled(X86_FEATURE_XENPV);
}

/* Copies the user registers. Returns: false if @user are no registers of user code. */
static inline bool pprof_arch_set_regs(struct pprof_regs *regs, struct pt_regs *user)
{
	regs->ip = user->ip;
	regs->sp = user->sp;
	regs->fp = user->bp;
	regs->all = (const unsigned long *)user;
	regs->uretprobes = NULL;
	regs->compat = !user_64bit_mode(user);
	return user_mode(user);
}

/*
 * Returns current's calls with a uretprobe, innermost first. Returns NULL where current may be
 * changing the list: it frees entries before it takes them off the list.
 *
 * current changes the list in these places:
 * - Behind a uprobe. That is neither a system call nor user code that an interrupt has just
 *   stopped.
 * - In the uretprobe system call (6.11), which first sets orig_ax to no system call.
 * - At its exit. Kernels without b583ef82b671 ("uprobes: Fix race in uprobe_free_utask") free all
 *   entries before they clear the list.
 */
static inline const struct return_instance *pprof_arch_uretprobes(const struct pt_regs *user)
{
	const struct return_instance *calls;

	if (current->flags & PF_EXITING)
		return NULL;
	calls = pprof_return_instances(current);
	if (!calls || (long)user->orig_ax >= 0 || (in_hardirq() && get_irq_regs() == user))
		return calls;
	return NULL;
}

/*
 * Does current have a shadow stack? The CPU then compares return addresses with copies of its own.
 */
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
 * Copies the user registers of current, as they were when it entered the kernel.
 * Returns: false where there are none to read:
 * - An exiting task has no user memory any more.
 * - io_uring and vhost workers never ran in user mode.
 * - A task with a borrowed mm (active_mm differs) would read another process's memory.
 * - In execve() the new memory comes before the new registers.
 * Context: any that current can be in.
 */
static inline bool pprof_arch_user_regs(struct pprof_regs *regs)
{
	if (!current->mm || current->mm != current->active_mm || current->in_execve)
		return false;
	if (current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return false;
	if (!pprof_arch_set_regs(regs, task_pt_regs(current)))
		return false;
	regs->uretprobes = pprof_arch_uretprobes(task_pt_regs(current));
	return true;
}

/*
 * Returns the user registers of @task if it is 64-bit code in the system call @nr, else NULL. @task
 * is current.
 * Context: any.
 */
static inline const struct pt_regs *pprof_arch_in_syscall(struct task_struct *task, int nr)
{
	struct pt_regs *user = task_pt_regs(task);

	if ((int)user->orig_ax != nr || !task->mm || !user_64bit_mode(user))
		return NULL;
	return task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ? NULL : user;
}

/*
 * Returns the number of the system call by which @user entered the kernel. Returns PPROF_NO_SYSCALL
 * after an exception. So it does for 32-bit code, which numbers system calls differently.
 * Context: any.
 */
static inline u64 pprof_arch_syscall_of(struct pt_regs *user)
{
	int nr = user->orig_ax;

	return nr < 0 || !user_64bit_mode(user) ? PPROF_NO_SYSCALL : nr;
}

/* The same of @task, which is off its CPU, or is current. */
static inline u64 pprof_arch_syscall(struct task_struct *task)
{
	return pprof_arch_syscall_of(task_pt_regs(task));
}

#endif
