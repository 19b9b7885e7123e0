/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exec id identifies one run of a program. It changes at every exec. Another process under the
 * same pid has another one. In struct pprof_event it is the field exec_id.
 */
#ifndef PPROF_EXEC_ID_H
#define PPROF_EXEC_ID_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

struct pid;

/*
 * Returns the exec id of @task's process: its start time plus the number of its execs. The next
 * process with the same pid starts later than that: the process cannot have called exec once a ns.
 *
 * The caller has just created @task, or has seen it alive (pid_alive()) in this RCU read section.
 * In a context switch or an interrupt the caller also checks pid_alive(current). do_exit() calls
 * release_task() before the last switch. After that nothing keeps the group leader.
 * Context: any.
 */
static inline u64 pprof_exec_id(const struct task_struct *task)
{
	return READ_ONCE(task->group_leader)->start_time + READ_ONCE(task->self_exec_id);
}

/*
 * Returns the exec id of the process whose thread group has the pid @process, or 0 if it has ended.
 * Context: any.
 */
u64 pprof_process_exec_id(struct pid *process);

#endif
