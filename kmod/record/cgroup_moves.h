/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows the processes of a session's cgroup. A process that moves into the cgroup, or into one
 * below it, becomes a target. A process that moves out is removed from the targets. A fork and
 * an end are process events: see process_events.h.
 */
#ifndef PPROF_CGROUP_MOVES_H
#define PPROF_CGROUP_MOVES_H

#include <linux/errno.h>
#include <linux/workqueue.h>

#include "record/record.h"

struct pprof_cgroup_moves {
	struct pprof_sink *sink;	/* NULL: nothing is followed */
	struct work_struct kick;
};

#ifdef CONFIG_CGROUPS

/*
 * Makes all processes of the cgroup targets, reports them, and begins to follow the cgroup. The
 * process events of @sink are followed already, and its sources do not run yet.
 * Returns: 0, -ENOMEM, or -EOPNOTSUPP: the kernel lacks the tracepoints.
 * Sleeps.
 */
int pprof_cgroup_moves_init(struct pprof_cgroup_moves *moves, struct pprof_sink *sink);

/*
 * Removes the hooks. When it returns, none of them runs. A zeroed @moves is left alone.
 * Sleeps.
 */
void pprof_cgroup_moves_fini(struct pprof_cgroup_moves *moves);

#else

static inline int pprof_cgroup_moves_init(struct pprof_cgroup_moves *moves, struct pprof_sink *sink)
{
	return -EOPNOTSUPP;
}

static inline void pprof_cgroup_moves_fini(struct pprof_cgroup_moves *moves)
{
}

#endif

#endif
