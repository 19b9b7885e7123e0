/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of the CPU: all that is x86-64 about the module. */
#ifndef PPROF_ARCH_H
#define PPROF_ARCH_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "compat.h"
#include "../uapi/pprof.h"
#include "stack.h"

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
	struct pt_regs *user = task_pt_regs(current);

	if (!current->mm || current->mm != current->active_mm || current->in_execve)
		return false;
	if ((current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)) || !user_mode(user))
		return false;
	regs->ip = user->ip;
	regs->sp = user->sp;
	regs->bp = user->bp;
	regs->all = (const unsigned long *)user;
	regs->compat = !user_64bit_mode(user);
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
 * The number of the system call that @task is in, PPROF_NO_SYSCALL if an exception
 * brought it into the kernel, or if it is a 32-bit task, whose numbers are others.
 * @task waits, or is current; any context.
 */
static inline u64 pprof_arch_syscall(struct task_struct *task)
{
	struct pt_regs *user = task_pt_regs(task);
	int nr = user->orig_ax;

	return nr < 0 || !user_64bit_mode(user) ? PPROF_NO_SYSCALL : nr;
}

#endif
