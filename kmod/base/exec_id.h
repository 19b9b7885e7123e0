/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The identity of a program's run: another exec has another one, and so has another process
 * under the same pid. struct pprof_event tells it to user space as its image.
 */
#ifndef PPROF_EXEC_ID_H
#define PPROF_EXEC_ID_H

#include <linux/types.h>

struct pid;
struct task_struct;

/*
 * Returns the exec id of @task's process.
 * Context: any. The caller has just created @task, or has seen it alive (pid_alive()) in this
 * RCU read section. In a switch or an interrupt the caller checks current, too: do_exit()
 * calls release_task() before the last switch, and then nothing keeps the group leader.
 */
u64 pprof_exec_id(const struct task_struct *task);

/*
 * Returns the exec id of the process whose thread group has the pid @process, or 0 if that
 * has ended. Context: any.
 */
u64 pprof_process_exec_id(struct pid *process);

#endif
