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
} hooks[PPROF_NR_HOOKS] = {
	[PPROF_HOOK_SWITCH]	= { "sched_switch" },
	[PPROF_HOOK_WAKING]	= { "sched_waking" },
	[PPROF_HOOK_NEWTASK]	= { "task_newtask" },
	[PPROF_HOOK_RENAME]	= { "task_rename" },
	[PPROF_HOOK_EXEC]	= { "sched_process_exec" },
	[PPROF_HOOK_EXIT]	= { "sched_process_exit" },
	[PPROF_HOOK_PAGE_ALLOC]	= { "mm_page_alloc" },
};

static void note_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	for (int i = 0; i < PPROF_NR_HOOKS; i++)
		if (!strcmp(tracepoint->name, hooks[i].name))
			hooks[i].tracepoint = tracepoint;
}

int pprof_hooks_init(void)
{
	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (int i = 0; i < PPROF_NR_HOOKS; i++) {
		if (!hooks[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s, which the module needs\n",
			       hooks[i].name);
			return -ENOENT;
		}
	}
	return 0;
}

int pprof_hook_add(enum pprof_hook hook, void *probe, void *data)
{
	return tracepoint_probe_register(hooks[hook].tracepoint, probe, data);
}

void pprof_hook_del(enum pprof_hook hook, void *probe, void *data)
{
	tracepoint_probe_unregister(hooks[hook].tracepoint, probe, data);
}
