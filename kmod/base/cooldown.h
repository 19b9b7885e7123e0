/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cooldowns: a session of a user without CAP_PERFMON sleeps after work that a kernel worker did for
 * it. So it cannot take a whole CPU. A cooldown ends at a moment of CLOCK_MONOTONIC.
 */
#ifndef PPROF_COOLDOWN_H
#define PPROF_COOLDOWN_H

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

/*
 * The longest cooldown for one piece of work. All such work takes less time on a CPU: if more time
 * passed, the work waited for a CPU. A larger bound would also delay the close of a session.
 */
#define PPROF_MAX_COOLDOWN_NS	((u64)NSEC_PER_SEC)

/*
 * Returns: the time until @until_ns, as a timeout in jiffies; 0 if it is past.
 * Context: any.
 */
static inline unsigned long pprof_cooldown_jiffies(u64 until_ns)
{
	u64 now = ktime_get_ns();

	return now < until_ns ? nsecs_to_jiffies(until_ns - now) + 1 : 0;
}

/* Sleeps until @until_ns. */
static inline void pprof_cooldown(u64 until_ns)
{
	unsigned long timeout = pprof_cooldown_jiffies(until_ns);

	if (timeout)
		schedule_timeout_uninterruptible(timeout);
}

/* Sleeps until @until_ns, or until a fatal signal comes. */
static inline void pprof_cooldown_killable(u64 until_ns)
{
	unsigned long timeout = pprof_cooldown_jiffies(until_ns);

	if (timeout)
		schedule_timeout_killable(timeout);
}

#endif
