// SPDX-License-Identifier: GPL-2.0
/* Source THREADCREATE: the creator's stack for every new thread. */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <trace/events/task.h>

#include "base/compat.h"
#include "base/tracepoints.h"
#include "source/source.h"

/* current is in clone(). The new thread does not run yet. */
static void probe_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
	struct pprof_sample_info info = { .source = PPROF_SOURCE_THREADCREATE, .weight = 1 };
	struct pprof_sink *sink = data;
	unsigned long flags;

	if (!pprof_is_user_thread(task, clone_flags) || !pprof_target_has(sink->target, current))
		return;
	info.time_ns = ktime_get_mono_fast_ns();
	info.arg = task_pid_nr_ns(task, sink->target->ns);
	local_irq_save(flags);
	pprof_record_sample(sink, &info);
	local_irq_restore(flags);
}

static int start(struct pprof_sink *sink, u64 period, void **state)
{
	check_trace_callback_type_task_newtask(probe_newtask);
	if (period)
		return -EINVAL;
	*state = sink;
	return pprof_tracepoint_add(PPROF_TRACEPOINT_NEWTASK, probe_newtask, sink);
}

static void stop(void *state)
{
	pprof_tracepoint_del(PPROF_TRACEPOINT_NEWTASK, probe_newtask, state);
	tracepoint_synchronize_unregister();
}

const struct pprof_source pprof_src_threadcreate = {
	.start = start,
	.stop = stop,
	.follows_moves = true,
};
