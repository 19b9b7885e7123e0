/* SPDX-License-Identifier: GPL-2.0 */
/* What user_quota.c calls, for the tests in which time and namespaces do not matter. */
#ifndef SHIM_QUOTA_H
#define SHIM_QUOTA_H

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

struct user_namespace init_user_ns;

struct user_namespace *current_user_ns(void)
{
	return &init_user_ns;
}

u64 ktime_get_ns(void)
{
	return 0;
}

bool fatal_signal_pending(const struct task_struct *task)
{
	(void)task;
	return false;
}

long schedule_timeout_killable(long timeout)
{
	return timeout;
}

#endif
