/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of user code, and the system call in which a task is. */
#ifndef PPROF_USER_REGS_H
#define PPROF_USER_REGS_H

#include <linux/hardirq.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include <asm/irq_regs.h>

#include "arch/regs.h"
#include "base/uretprobe.h"
#include "base/compat.h"
#include "base/regs.h"
#include "uapi/pprof.h"

/*
 * Copies the user registers.
 * Returns: false if @user are not the registers of user code.
 * Context: any.
 */
static inline bool pprof_user_regs_copy(struct pprof_regs *regs, struct pt_regs *user)
{
	regs->ip = instruction_pointer(user);
	regs->sp = user_stack_pointer(user);
	regs->fp = pprof_arch_fp(user);
	regs->all = (const unsigned long *)user;
	regs->uretprobes = NULL;
	regs->compat = pprof_arch_is_compat(user);
	regs->in_exception = false;
	return user_mode(user);
}

/* Has an interrupt just stopped the user code of @user? */
static inline bool pprof_user_regs_interrupted(const struct pt_regs *user)
{
	return in_hardirq() && get_irq_regs() == user;
}

/*
 * Returns current's calls with a uretprobe, innermost first; NULL: there are none, or current is
 * exiting. Returns &pprof_uretprobe_unknown where current may be changing the list: it frees
 * entries before it takes them off the list.
 *
 * current changes the list in these places:
 * - After a hit of a uprobe. That is neither a system call nor user code that an interrupt has just
 *   stopped.
 * - In the uretprobe system call (6.11). See pprof_arch_is_in_syscall().
 * - At its exit. Kernels without b583ef82b671 ("uprobes: Fix race in uprobe_free_utask") free all
 *   entries before they clear the list.
 */
static inline const struct return_instance *pprof_user_regs_uretprobes(const struct pt_regs *user)
{
	const struct return_instance *calls;

	if (current->flags & PF_EXITING)
		return NULL;
	calls = pprof_return_instances(current);
	if (!calls || pprof_arch_is_in_syscall(user) || pprof_user_regs_interrupted(user))
		return calls;
	return &pprof_uretprobe_unknown;
}

/*
 * Copies the user registers of current, as they were when it entered the kernel.
 * Returns: false where there are none to read:
 * - An exiting task has no user memory any more.
 * - io_uring and vhost workers never ran in user mode.
 * - A task with a borrowed mm (active_mm differs) would read another process's memory.
 * - In execve() the new memory comes before the new registers.
 * Context: any that current can be in.
 */
static inline bool pprof_user_regs_of_current(struct pprof_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (!current->mm || current->mm != current->active_mm || current->in_execve)
		return false;
	if (current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return false;
	if (!pprof_user_regs_copy(regs, user))
		return false;
	regs->uretprobes = pprof_user_regs_uretprobes(user);
	regs->in_exception = !pprof_arch_is_in_syscall(user) && !pprof_user_regs_interrupted(user);
	return true;
}

/*
 * Returns the user registers of @task if it is 64-bit code in the system call @nr, else NULL. @task
 * is current.
 * Context: any.
 */
static inline const struct pt_regs *pprof_user_regs_in_syscall(struct task_struct *task, int nr)
{
	struct pt_regs *user = task_pt_regs(task);

	if (pprof_arch_syscall_nr(user) != nr || !task->mm || pprof_arch_is_compat(user))
		return NULL;
	return task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ? NULL : user;
}

/*
 * Returns the number of the system call by which @user entered the kernel. Returns PPROF_NO_SYSCALL
 * after an exception, and for 32-bit code.
 * Context: any.
 */
static inline u64 pprof_syscall_of_regs(struct pt_regs *user)
{
	int nr = pprof_arch_syscall_nr(user);

	return nr < 0 || pprof_arch_is_compat(user) ? PPROF_NO_SYSCALL : nr;
}

/* The same of @task, which is off its CPU, or is current. */
static inline u64 pprof_syscall_of(struct task_struct *task)
{
	return pprof_syscall_of_regs(task_pt_regs(task));
}

#endif
