// SPDX-License-Identifier: GPL-2.0
#undef pr_fmt
#define pr_fmt(fmt) "pprof: " fmt

#include "base/tracepoints.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static struct {
	const char *name;
	struct tracepoint *tracepoint;
	bool optional;
} hooks[PPROF_NR_TRACEPOINTS] = {
	[PPROF_TRACEPOINT_SWITCH]	= { "sched_switch" },
	[PPROF_TRACEPOINT_WAKING]	= { "sched_waking" },
	[PPROF_TRACEPOINT_NEWTASK]	= { "task_newtask" },
	[PPROF_TRACEPOINT_RENAME]	= { "task_rename" },
	[PPROF_TRACEPOINT_EXEC]	= { "sched_process_exec" },
	[PPROF_TRACEPOINT_EXIT]	= { "sched_process_exit" },
	[PPROF_TRACEPOINT_PAGE_ALLOC]	= { "mm_page_alloc" },
	[PPROF_TRACEPOINT_CGROUP_ATTACH]	= { "cgroup_attach_task", .optional = true },
	[PPROF_TRACEPOINT_CGROUP_RMDIR]	= { "cgroup_rmdir", .optional = true },
};

static void note_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	for (int i = 0; i < PPROF_NR_TRACEPOINTS; i++)
		if (!strcmp(tracepoint->name, hooks[i].name))
			hooks[i].tracepoint = tracepoint;
}

int pprof_tracepoints_init(void)
{
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (int i = 0; i < PPROF_NR_TRACEPOINTS; i++) {
		if (!hooks[i].tracepoint && !hooks[i].optional) {
			pr_err("this kernel has no tracepoint %s, which the module needs\n",
			       hooks[i].name);
			return -ENOENT;
		}
	}
	return 0;
}

int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data)
{
	if (!hooks[hook].tracepoint)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(hooks[hook].tracepoint, probe, data);
}

void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data)
{
	tracepoint_probe_unregister(hooks[hook].tracepoint, probe, data);
}
