/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The visits of a session: calls that sample threads one after the other. Without CAP_PERFMON a
 * cooldown follows each.
 */
#ifndef PPROF_VISITS_H
#define PPROF_VISITS_H

#include <linux/mutex.h>
#include <linux/types.h>

struct pprof_visits {
	struct mutex lock;	/* held during a visit; guards cooldown_end_ns */
	u64 cooldown_end_ns;	/* ktime; 0: no cooldown */
};

/* Initializes @visits, which is zeroed. */
void pprof_visits_init(struct pprof_visits *visits);

/*
 * Waits for the end of the cooldown. No visit begins any more.
 * Sleeps.
 */
void pprof_visits_fini(struct pprof_visits *visits);

/*
 * Begins a visit: waits for the end of another visit, and of the cooldown. Sets *begin_ns for
 * pprof_visits_end().
 * Locks: takes visits->lock, unless it fails.
 * Returns: 0, or -EINTR: the caller is being killed.
 * Sleeps.
 */
int pprof_visits_begin(struct pprof_visits *visits, u64 *begin_ns);

/*
 * Ends a visit. A cooldown begins, unless the caller has CAP_PERFMON.
 * Locks: releases visits->lock.
 */
void pprof_visits_end(struct pprof_visits *visits, u64 begin_ns);

#endif
