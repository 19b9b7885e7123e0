// SPDX-License-Identifier: GPL-2.0
/*
 * One worker does all work:
 *
 * - It gets no signals. Uprobes write breakpoint instructions by get_user_pages_remote(), which
 *   fails if current is killed. If a collector is killed at START or STOP, its breakpoints would
 *   stay in the program for ever.
 * - It does one thing at a time, and waits for handlers, too. In 6.12 a handler may still be about
 *   to remove the breakpoint of a uprobe that is gone. It would remove one that another session, or
 *   perf, has just placed.
 *
 * So handlers stop asking for removal before the removal begins. The worker sets a flag, and waits
 * for handlers that did not see it.
 *
 * A task that holds the mmap lock of a process that maps the file delays the worker, and all forks,
 * as with any uprobe. That may take long, if a page comes from a FUSE server. A signal to the
 * caller does not end the delay, but a signal to that process does.
 */
#include "heap/uprobes.h"

#include <asm/uprobes.h>
#include <linux/errno.h>
#include <linux/workqueue.h>

#include "base/compat.h"

struct job {
	struct work_struct work;
	struct pprof_uprobes *uprobes;
	int err;
};

static struct workqueue_struct *worker;

static int set_one(struct pprof_uprobe *uprobe)
{
	const struct pprof_probe *probe = uprobe->probe;

	return pprof_uprobe_add(probe->inode, probe->offset, &uprobe->consumer, &uprobe->uprobe);
}

static void clear_one(struct pprof_uprobe *uprobe)
{
	const struct pprof_probe *probe = uprobe->probe;

	pprof_uprobe_del(uprobe->uprobe, probe->inode, probe->offset, &uprobe->consumer);
}

static void clear_down_to(struct pprof_uprobes *uprobes, u32 nr)
{
	while (uprobes->nr_set > nr)
		clear_one(&uprobes->list[--uprobes->nr_set]);
	pprof_uprobe_sync();
}

static void clear_all(struct work_struct *work)
{
	struct pprof_uprobes *uprobes = container_of(work, struct job, work)->uprobes;

	WRITE_ONCE(uprobes->ending, true);
	pprof_uprobe_sync();
	clear_down_to(uprobes, uprobes->nr_last);
	uprobes->settle(uprobes);
	clear_down_to(uprobes, 0);
}

static void set_all(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);
	struct pprof_uprobes *uprobes = job->uprobes;

	while (!job->err && uprobes->nr_set < uprobes->nr) {
		job->err = set_one(&uprobes->list[uprobes->nr_set]);
		if (!job->err)
			uprobes->nr_set++;
	}
}

/* flush_work() must not be interrupted: the job is on this stack until it is done. */
static int do_work(struct pprof_uprobes *uprobes, work_func_t fn)
{
	struct job job = { .uprobes = uprobes };

	INIT_WORK_ONSTACK(&job.work, fn);
	queue_work(worker, &job.work);
	flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return job.err;
}

int pprof_uprobes_set(struct pprof_uprobes *uprobes)
{
	return do_work(uprobes, set_all);
}

void pprof_uprobes_clear(struct pprof_uprobes *uprobes)
{
	do_work(uprobes, clear_all);
}

/* A page with a uprobe belongs to the process, and may be swapped out. Then it is read in. */
static bool is_there(u64 ip)
{
	uprobe_opcode_t code;

	return !copy_from_user(&code, (const void __user *)ip, sizeof(code)) &&
	       code == UPROBE_SWBP_INSN;
}

bool pprof_uprobes_are_installed(const struct pprof_uprobes *uprobes, u32 function,
				 const struct pprof_probe *near, u64 ip)
{
	const struct pprof_probe *probe;
	bool any = false;

	for (u32 i = 0; i < uprobes->nr; i++) {
		probe = uprobes->list[i].probe;
		if (probe->function != function || probe->inode != near->inode)
			continue;
		if (!is_there(ip + probe->offset - near->offset))
			return false;
		any = true;
	}
	return any;
}

int pprof_uprobes_init(void)
{
	worker = alloc_ordered_workqueue("pprof", 0);
	return worker ? 0 : -ENOMEM;
}

void pprof_uprobes_exit(void)
{
	destroy_workqueue(worker);
}
