/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's tracepoints, found by name. The kernel does not export their symbols, so a module
 * cannot call register_trace_*().
 */
#ifndef PPROF_TRACEPOINTS_H
#define PPROF_TRACEPOINTS_H

#include <linux/sched.h>
#include <uapi/linux/sched.h>

#include "base/compat.h"

enum pprof_tracepoint {
	PPROF_TRACEPOINT_SWITCH,
	PPROF_TRACEPOINT_WAKING,
	PPROF_TRACEPOINT_NEWTASK,
	PPROF_TRACEPOINT_RENAME,
	PPROF_TRACEPOINT_EXEC,
	PPROF_TRACEPOINT_EXIT,
	PPROF_TRACEPOINT_PAGE_ALLOC,
	PPROF_TRACEPOINT_CGROUP_ATTACH,	/* not on kernels without CONFIG_CGROUPS */
	PPROF_TRACEPOINT_CGROUP_RMDIR,	/* not on kernels without CONFIG_CGROUPS */
	PPROF_NR_TRACEPOINTS,
};

/*
 * For a probe of task_newtask: did the program ask for the thread @task? Kernel threads and workers
 * of io_uring and vhost are not such threads.
 */
static inline bool pprof_is_user_thread(const struct task_struct *task, u64 clone_flags)
{
	return (clone_flags & CLONE_THREAD) &&
	       !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/*
 * Finds all tracepoints. Those of cgroups may be missing.
 * Returns: 0, or -ENOENT. The kernel log has the name of the missing one.
 */
int pprof_tracepoints_init(void);

/*
 * From now on the kernel calls @probe with @data. The caller checks the prototype of @probe
 * (check_trace_callback_type_*). Since 7.2 the probe can be preempted, unless the caller of the
 * tracepoint prevents it.
 * Returns: 0, -ENOMEM, -EEXIST, or -EOPNOTSUPP: the kernel lacks the tracepoint.
 * Sleeps.
 */
int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data);

/*
 * After this no new call of @probe begins, but some may still run. Call
 * tracepoint_synchronize_unregister() before @data is freed.
 * Sleeps.
 */
void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data);

#endif
