// SPDX-License-Identifier: GPL-2.0
#include "base/exec_id.h"

#include <linux/pid.h>
#include <linux/sched/signal.h>

/* An exec may make another thread the leader. */
u64 pprof_process_exec_id(struct pid *process)
{
	struct task_struct *leader;
	u64 exec_id = 0;

	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	if (leader && atomic_read(&leader->signal->live))
		exec_id = pprof_exec_id(leader);
	rcu_read_unlock();
	return exec_id;
}
