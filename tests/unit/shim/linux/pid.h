/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_PID_H
#define SHIM_PID_H

#include <linux/sched.h>

struct pid {
	int refs;
};

static inline struct pid *get_pid(struct pid *pid)
{
	pid->refs++;
	return pid;
}

static inline void put_pid(struct pid *pid)
{
	pid->refs--;
}

#define task_tgid(task)	((task)->process)

#endif
