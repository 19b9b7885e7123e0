/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's tracepoints, found by name: their symbols are not exported,
 * so register_trace_*() is not for modules.
 */
#ifndef PPROF_HOOKS_H
#define PPROF_HOOKS_H

#include <linux/sched.h>
#include <uapi/linux/sched.h>

#include "base/compat.h"

enum pprof_hook {
	PPROF_HOOK_SWITCH,
	PPROF_HOOK_WAKING,
	PPROF_HOOK_NEWTASK,
	PPROF_HOOK_RENAME,
	PPROF_HOOK_EXEC,
	PPROF_HOOK_EXIT,
	PPROF_HOOK_PAGE_ALLOC,
	PPROF_NR_HOOKS,
};

/*
 * In a probe of task_newtask: is @task a thread that its program asked for?
 * Kernel threads and the workers of io_uring and vhost are not.
 */
static inline bool pprof_is_user_thread(const struct task_struct *task, u64 clone_flags)
{
	return (clone_flags & CLONE_THREAD) &&
	       !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/* Finds them all; -ENOENT, and the kernel log names the one that is missing. */
int pprof_hooks_init(void);

/*
 * @probe is called with @data from now on; its prototype is the caller's to
 * check (check_trace_callback_type_*). Since 7.2 it can be preempted, but for what its
 * tracepoint's caller holds. May sleep. -ENOMEM, -EEXIST.
 */
int pprof_hook_add(enum pprof_hook hook, void *probe, void *data);

/*
 * No new call begins, but some may still run: tracepoint_synchronize_unregister()
 * before @data goes.
 */
void pprof_hook_del(enum pprof_hook hook, void *probe, void *data);

#endif
