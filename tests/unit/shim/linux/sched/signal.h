/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SCHED_SIGNAL_H
#define SHIM_SCHED_SIGNAL_H

#include <linux/atomic.h>
#include <linux/sched.h>

struct signal_struct {
	atomic_t live;
};

/* The processes, and their threads: tasks in a row with the same tgid. The test defines both. */
extern struct task_struct *shim_tasks;
extern int shim_nr_tasks;

#define shim_is_task(task)	((task) < shim_tasks + shim_nr_tasks)

static inline struct task_struct *shim_next_leader(struct task_struct *task)
{
	const pid_t tgid = task->tgid;

	while (shim_is_task(task) && task->tgid == tgid)
		task++;
	return task;
}

#define for_each_process(task)	\
	for ((task) = shim_tasks; shim_is_task(task); (task) = shim_next_leader(task))
#define for_each_thread(leader, task)	\
	for ((task) = (leader); shim_is_task(task) && (task)->tgid == (leader)->tgid; (task)++)

/* The test's to define. */
bool fatal_signal_pending(const struct task_struct *task);

#endif
