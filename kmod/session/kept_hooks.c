// SPDX-License-Identifier: GPL-2.0
#include "session/kept_hooks.h"

#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <trace/events/kmem.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "base/compat.h"
#include "base/tracepoint_set.h"
#include "record/mmap_probe.h"

/* Adding and removing the probes interrupts each CPU 180 times. So this makes 9 times a second. */
#define KEEP_JIFFIES	(20 * HZ)
/* A tracepoint calls its only probe directly. Its code stays the same from 2 probes on. */
#define NR_OF_EACH	2

DEFINE_SWITCH_PROBE(at_switch)
static void at_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
}

static void at_waking(void *data, struct task_struct *task)
{
}

static void at_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
}

static void at_rename(void *data, struct task_struct *task, const char *comm)
{
}

static void at_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
}

DEFINE_EXIT_PROBE(at_exit)
static void at_exit(void *data, struct task_struct *task, bool group_dead)
{
}

static void at_page_alloc(void *data, struct page *page, unsigned int order, gfp_t gfp,
			  int migratetype)
{
}

static const struct pprof_tracepoint_probe probes[] = {
	{ PPROF_TRACEPOINT_SWITCH, at_switch_hook },
	{ PPROF_TRACEPOINT_WAKING, at_waking },
	{ PPROF_TRACEPOINT_NEWTASK, at_newtask },
	{ PPROF_TRACEPOINT_RENAME, at_rename },
	{ PPROF_TRACEPOINT_EXEC, at_exec },
	{ PPROF_TRACEPOINT_EXIT, at_exit_hook },
	{ PPROF_TRACEPOINT_PAGE_ALLOC, at_page_alloc },
};

static void check_types(void)
{
	check_trace_callback_type_sched_switch(at_switch_hook);
	check_trace_callback_type_sched_waking(at_waking);
	check_trace_callback_type_task_newtask(at_newtask);
	check_trace_callback_type_task_rename(at_rename);
	check_trace_callback_type_sched_process_exec(at_exec);
	check_trace_callback_type_sched_process_exit(at_exit_hook);
	check_trace_callback_type_mm_page_alloc(at_page_alloc);
}

static DEFINE_MUTEX(lock);	/* guards the fields below */
static char datas[NR_OF_EACH];	/* a tracepoint tells equal probes apart by their data */
static struct kprobe *mmap_probe;	/* NULL: nothing is kept */

static void end_keeping(struct work_struct *unused);
static DECLARE_DELAYED_WORK(work, end_keeping);

static void del_tracepoints(int nr)
{
	while (nr--)
		pprof_tracepoint_set_del(probes, ARRAY_SIZE(probes), &datas[nr]);
}

static int add_tracepoints(void)
{
	int err;

	for (int i = 0; i < NR_OF_EACH; i++) {
		err = pprof_tracepoint_set_add(probes, ARRAY_SIZE(probes), &datas[i]);
		if (err) {
			del_tracepoints(i);
			return err;
		}
	}
	return 0;
}

static void del_all(void)
{
	if (!mmap_probe)
		return;
	del_tracepoints(NR_OF_EACH);
	if (pprof_mmap_probe_del(mmap_probe))
		kfree(mmap_probe);
	mmap_probe = NULL;
}

static void add_all(void)
{
	struct kprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);

	check_types();
	if (!probe)
		return;
	if (add_tracepoints())
		goto free;
	if (pprof_mmap_probe_add(probe))
		goto tracepoints;
	mmap_probe = probe;
	return;
tracepoints:
	del_tracepoints(NR_OF_EACH);
free:
	kfree(probe);
}

static void end_keeping(struct work_struct *unused)
{
	mutex_lock(&lock);
	del_all();
	mutex_unlock(&lock);
}

void pprof_kept_hooks_keep(void)
{
	mutex_lock(&lock);
	if (!mmap_probe)
		add_all();
	if (mmap_probe)
		mod_delayed_work(system_dfl_wq, &work, KEEP_JIFFIES);
	mutex_unlock(&lock);
}

void pprof_kept_hooks_exit(void)
{
	cancel_delayed_work_sync(&work);
	end_keeping(NULL);
}
