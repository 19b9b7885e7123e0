// SPDX-License-Identifier: GPL-2.0
/*
 * The ways into a cgroup, and out of it:
 *
 * - Processes that are there at the start: add_all().
 * - cgroup.procs moves a whole process: the tracepoint cgroup_attach_task. The kernel calls it
 *   after the move.
 * - A fork: task_newtask, in process_events.c. clone3() may choose the cgroup of the child.
 * - cgroup.threads moves a single thread, but only inside of one domain of threads. The session's
 *   cgroup is no threaded one, so such a thread stays in it, or outside of it.
 * - The tracepoint cgroup_transfer_tasks is of cgroup v1 alone.
 */
#include "record/cgroup_moves.h"

#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <trace/events/cgroup.h>

#include "base/cgroup.h"
#include "base/tracepoint_set.h"
#include "record/process_events.h"

/* Context: an interrupt of each CPU. */
static void look_again(void *switches)
{
	pprof_switches_look_again(switches);
}

/*
 * A process moves while its threads run on other CPUs. Sources start and stop at a switch, which
 * may be far away. The hook cannot wait for an interrupt of all CPUs, as interrupts are off there.
 */
static void kick(struct work_struct *work)
{
	struct pprof_cgroup_moves *moves = container_of(work, struct pprof_cgroup_moves, kick);

	on_each_cpu(look_again, &moves->sink->switches, 1);
}

/* The caller is in an RCU read section, and @task has not been reaped. */
static void report(struct pprof_cgroup_moves *moves, struct task_struct *task,
		   enum pprof_move move)
{
	if (move == PPROF_MOVE_NONE)
		return;
	if (pid_alive(task)) {
		if (move == PPROF_MOVE_ENTERED)
			pprof_process_events_enter(moves->sink, task);
		else
			pprof_process_events_leave(moves->sink, task);
	}
	queue_work(system_dfl_wq, &moves->kick);
}

/* The first thread of a process may have ended. Then @leader has the cgroup of that time. */
static void probe_attach(void *data, struct cgroup *to, const char *path,
			 struct task_struct *leader, bool whole_process)
{
	struct pprof_cgroup_moves *moves = data;
	struct pprof_target *target = moves->sink->target;

	if (!whole_process || to->root != target->cgroup->root)
		return;
	rcu_read_lock();
	report(moves, leader, pprof_target_move(target, leader, to));
	rcu_read_unlock();
}

/* A poller that waits for the end of the last target also waits for that of the cgroup. */
static void probe_rmdir(void *data, struct cgroup *cgroup, const char *path)
{
	struct pprof_cgroup_moves *moves = data;

	if (cgroup == moves->sink->target->cgroup)
		pprof_wakeup(&moves->sink->wakeup);
}

static const struct pprof_tracepoint_probe probes[] = {
	{ PPROF_TRACEPOINT_CGROUP_ATTACH, probe_attach },
	{ PPROF_TRACEPOINT_CGROUP_RMDIR, probe_rmdir },
};

/* A thread that ended before its process moved has the old cgroup. */
static void add_process(struct pprof_cgroup_moves *moves, struct task_struct *process)
{
	struct task_struct *task;

	for_each_thread(process, task) {
		if (READ_ONCE(task->flags) & PF_EXITING)
			continue;
		report(moves, task, pprof_target_move(moves->sink->target, task, NULL));
		return;
	}
}

/* A child that is not in the list yet comes by the hook of its fork. */
static void add_all(struct pprof_cgroup_moves *moves)
{
	struct task_struct *process;

	rcu_read_lock();
	for_each_process(process)
		add_process(moves, process);
	rcu_read_unlock();
}

int pprof_cgroup_moves_init(struct pprof_cgroup_moves *moves, struct pprof_sink *sink)
{
	int err;

	check_trace_callback_type_cgroup_attach_task(probe_attach);
	check_trace_callback_type_cgroup_rmdir(probe_rmdir);
	moves->sink = sink;
	INIT_WORK(&moves->kick, kick);
	err = pprof_tracepoint_set_add(probes, ARRAY_SIZE(probes), moves);
	if (err) {
		cancel_work_sync(&moves->kick);	/* the first probe may have queued it */
		moves->sink = NULL;
		return err;
	}
	add_all(moves);
	return 0;
}

void pprof_cgroup_moves_fini(struct pprof_cgroup_moves *moves)
{
	if (!moves->sink)
		return;
	pprof_tracepoint_set_del(probes, ARRAY_SIZE(probes), moves);
	cancel_work_sync(&moves->kick);
	moves->sink = NULL;
}
