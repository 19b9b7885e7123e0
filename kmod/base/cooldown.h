/* SPDX-License-Identifier: GPL-2.0 */
/* Rests of those who may not take all of a CPU: until a moment of CLOCK_MONOTONIC. */
#ifndef PPROF_REST_H
#define PPROF_REST_H

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

/*
 * The most that is rested for one piece of work. All of them take less of a CPU; what is
 * more, they waited for one, and who closes a session meanwhile need not wait as long again.
 */
#define PPROF_MAX_REST_NS	((u64)NSEC_PER_SEC)

/* How long that is from now, as a timeout; 0: it is past. Any context. */
static inline unsigned long pprof_rest_jiffies(u64 until_ns)
{
	u64 now = ktime_get_ns();

	return now < until_ns ? nsecs_to_jiffies(until_ns - now) + 1 : 0;
}

/* Sleeps until then. */
static inline void pprof_rest(u64 until_ns)
{
	unsigned long timeout = pprof_rest_jiffies(until_ns);

	if (timeout)
		schedule_timeout_uninterruptible(timeout);
}

/* The same, but whoever is killed goes on at once. */
static inline void pprof_rest_killable(u64 until_ns)
{
	unsigned long timeout = pprof_rest_jiffies(until_ns);

	if (timeout)
		schedule_timeout_killable(timeout);
}

#endif
