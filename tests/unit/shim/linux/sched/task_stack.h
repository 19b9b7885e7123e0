/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_TASK_STACK_H
#define SHIM_TASK_STACK_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#define THREAD_SIZE	16384

/* The test's to define. */
struct pt_regs *task_pt_regs(const struct task_struct *task);
void *task_stack_page(const struct task_struct *task);

#endif
