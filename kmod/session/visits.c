// SPDX-License-Identifier: GPL-2.0
#include "session/visits.h"

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "base/perfmon.h"
#include "base/compat.h"
#include "base/cooldown.h"

void pprof_visits_init(struct pprof_visits *visits)
{
	mutex_init(&visits->lock);
}

void pprof_visits_fini(struct pprof_visits *visits)
{
	pprof_cooldown(visits->cooldown_end_ns);
}

/*
 * A kernel worker samples threads, and no process is charged for its time. So without CAP_PERFMON
 * the session then has a cooldown: as long as the work took, plus a tick. So the work takes half
 * of a CPU at most.
 *
 * The next call waits for the end of the cooldown. The caller does not sleep at the end of its own
 * call: it could be killed to avoid that. Calls that sample no threads do not wait: session->lock
 * is free meanwhile. Time for which the caller itself waited counts as work, up to
 * PPROF_MAX_COOLDOWN_NS.
 */
int pprof_visits_begin(struct pprof_visits *visits, u64 *begin_ns)
{
	if (mutex_lock_killable(&visits->lock))
		return -EINTR;
	pprof_cooldown_killable(visits->cooldown_end_ns);
	if (fatal_signal_pending(current)) {
		mutex_unlock(&visits->lock);
		return -EINTR;
	}
	*begin_ns = ktime_get_ns();
	return 0;
}

void pprof_visits_end(struct pprof_visits *visits, u64 begin_ns)
{
	u64 now = ktime_get_ns();

	visits->cooldown_end_ns = pprof_perfmon_noaudit() ? 0 : now + TICK_NSEC +
				  min(now - begin_ns, PPROF_MAX_COOLDOWN_NS);
	mutex_unlock(&visits->lock);
}
