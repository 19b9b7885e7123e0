/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SCHED_H
#define SHIM_SCHED_H

#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <sys/types.h>

#define PF_EXITING	0x00000004
#define PF_IO_WORKER	0x00000010
#define PF_USER_WORKER	0x00004000
#define PF_KTHREAD	0x00200000

struct pid;
struct cgroup;
struct signal_struct;
struct task_exec_state;

#define TASK_INTERRUPTIBLE	0x00000001
#define TASK_UNINTERRUPTIBLE	0x00000002
#define TASK_STOPPED		0x00000004

#define TASK_COMM_LEN	16

struct task_struct {
	pid_t pid;
	pid_t tgid;
	unsigned int flags;
	bool idle;
	pid_t tgid_below;	/* tgid in the namespaces below the initial one; 0: it has none */
	struct pid *process;
	struct signal_struct *signal;
	struct mm_struct *mm;
	struct mm_struct *active_mm;
	struct task_struct *group_leader;
	struct task_exec_state *exec_state;
	u64 start_time;
	u64 self_exec_id;
	unsigned int __state;
	int alloc_lock;
	int cpu;
	bool in_execve;
	struct cgroup *cgroup;
	char comm[TASK_COMM_LEN];
};

extern struct task_struct *current;

/* The test defines it, and lets this time pass. */
long schedule_timeout_uninterruptible(long timeout);
long schedule_timeout_killable(long timeout);

#define pid_alive(task)			(!!(task)->process)
#define smp_processor_id()		0
#define cond_resched()			((void)0)
#define is_idle_task(task)		((task)->idle)
#define task_cpu(task)			((task)->cpu)
#define task_pid_nr_ns(task, ns)	((void)(ns), (task)->pid)
#define task_tgid_nr_ns(task, ns)	((ns)->level ? (task)->tgid_below : (task)->tgid)

#endif
