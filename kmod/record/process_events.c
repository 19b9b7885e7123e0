// SPDX-License-Identifier: GPL-2.0
#include "record/process_events.h"

#include <linux/binfmts.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "base/compat.h"
#include "base/tracepoint_set.h"

/* The child does not run yet, so none of its samples is missed. */
static void note_fork(struct pprof_process_events *process_events, struct task_struct *child)
{
	struct pprof_target *target = process_events->sink->target;
	struct pprof_fork *record;

	if (target->children)
		pprof_target_add(target, child->tgid);
	if (!pprof_target_has(target, child))
		return;		/* its end would not be reported either */
	if (process_events->sink->session_tables)
		pprof_session_tables_fork(process_events->sink->session_tables, current->tgid,
					  child->tgid, pprof_exec_id(child));
	record = pprof_record_event(process_events->sink, current, PPROF_REC_FORK, sizeof(*record));
	if (!record)
		return;
	record->child_exec_id = pprof_exec_id(child);
	record->child_pid = task_tgid_nr_ns(child, target->ns);
	record->pad = 0;
	pprof_record_commit(process_events->sink, record);
}

static void write_event(struct pprof_sink *sink, struct task_struct *task, u32 type)
{
	void *record = pprof_record_event(sink, task, type, sizeof(struct pprof_event));

	if (record)
		pprof_record_commit(sink, record);
}

/* A walk ends at once until the reader has sent the ranges. So wake the reader. */
void pprof_process_events_enter(struct pprof_sink *sink, struct task_struct *task)
{
	unsigned long flags;

	local_irq_save(flags);
	write_event(sink, task, PPROF_REC_ENTER);
	pprof_ring_set_urgent(pprof_record_ring(sink));
	pprof_wakeup(&sink->wakeup);
	local_irq_restore(flags);
}

void pprof_process_events_leave(struct pprof_sink *sink, struct task_struct *task)
{
	unsigned long flags;

	local_irq_save(flags);
	if (sink->session_tables)
		pprof_session_tables_drop(sink->session_tables, task->tgid, 0);
	write_event(sink, task, PPROF_REC_DROP);
	local_irq_restore(flags);
}

/* clone3() may put the child into any cgroup. The child does not run yet, so it stays alive. */
static void follow_cgroup(struct pprof_sink *sink, struct task_struct *child)
{
	enum pprof_move move;

	rcu_read_lock();
	move = pprof_target_move(sink->target, child, NULL);
	if (move == PPROF_MOVE_ENTERED && !pprof_target_has(sink->target, current))
		pprof_process_events_enter(sink, child);
	rcu_read_unlock();
}

static void probe_newtask(void *data, struct task_struct *task, clone_flags_t clone_flags)
{
	struct pprof_process_events *process_events = data;
	struct pprof_target *target = process_events->sink->target;
	unsigned long flags;

	if (clone_flags & CLONE_THREAD)
		return;
	if (target->cgroup)
		follow_cgroup(process_events->sink, task);
	if (!pprof_target_has(target, current) ||
	    pprof_target_is_unchecked(target, current->tgid))
		return;
	local_irq_save(flags);
	note_fork(process_events, task);
	local_irq_restore(flags);
}

static void set_comm(u8 *to, const char *comm)
{
	memcpy(to, comm, PPROF_COMM_LEN);
	to[PPROF_COMM_LEN - 1] = 0;
}

static void note_exec(struct pprof_sink *sink)
{
	struct pprof_exec *record;

	if (pprof_target_is_unchecked(sink->target, current->tgid))
		return;
	if (sink->session_tables)
		pprof_session_tables_drop(sink->session_tables, current->tgid,
					  pprof_exec_id(current));
	record = pprof_record_event(sink, current, PPROF_REC_EXEC, sizeof(*record));
	if (!record)
		return;
	record->old_exec_id = record->ev.exec_id - 1;	/* an exec adds one to self_exec_id */
	set_comm(record->comm, current->comm);
	pprof_record_commit(sink, record);
}

/*
 * Before 6.16 two threads of a process may both seem to be the last one. Only one of them removes
 * the target and reports the end.
 *
 * Where all processes are targets, both report the end. There the process stays a target until it
 * is gone, and its time counts until then. In a pid namespace other than the initial one it has no
 * number after its parent has reaped it, and is no target any more. So the sources stop counting it
 * here, as for a target that was removed.
 *
 * The end of an unchecked target is not reported: it may be another process. Its ATTACH fails.
 */
static void end_process(struct pprof_sink *sink, struct task_struct *task, u32 type)
{
	if (!pprof_target_remove(sink->target, task->tgid) ||
	    pprof_target_is_unchecked(sink->target, task->tgid))
		return;
	if (sink->target->bits || sink->target->ns != &init_pid_ns)
		pprof_switches_drop(&sink->switches);
	if (sink->session_tables)
		pprof_session_tables_drop(sink->session_tables, task->tgid, 0);
	write_event(sink, task, type);
	if (pprof_target_is_empty(sink->target))
		pprof_wakeup(&sink->wakeup);
}

static void note_thread_end(struct pprof_sink *sink, struct task_struct *task)
{
	struct pprof_thread_end *record;

	if (pprof_target_is_unchecked(sink->target, task->tgid))
		return;
	record = pprof_record_event(sink, task, PPROF_REC_THREAD_END, sizeof(*record));
	if (record)
		pprof_record_commit(sink, record);
}

/*
 * The session had the right to see the earlier program. It must not see a program with more rights
 * (setuid), or one whose file its user may not read. ptrace would refuse both.
 */
static bool exec_is_forbidden(const struct pprof_process_events *process_events,
			      const struct linux_binprm *bprm)
{
	return !READ_ONCE(process_events->sink->trusted) &&
	       (bprm->secureexec || !pprof_is_dumpable(current, current->mm));
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct pprof_process_events *process_events = data;
	unsigned long flags;

	if (!pprof_target_has(process_events->sink->target, current))
		return;
	local_irq_save(flags);
	if (exec_is_forbidden(process_events, bprm))
		end_process(process_events->sink, current, PPROF_REC_DROP);
	else
		note_exec(process_events->sink);
	local_irq_restore(flags);
}

DEFINE_EXIT_PROBE(probe_exit)
static void probe_exit(void *data, struct task_struct *task, bool group_dead)
{
	struct pprof_process_events *process_events = data;
	unsigned long flags;

	if (group_dead && process_events->sink->target->cgroup)
		pprof_target_end_moves(process_events->sink->target);
	if (!(group_dead || process_events->thread_ends) ||
	    !pprof_target_has(process_events->sink->target, task))
		return;
	local_irq_save(flags);
	if (group_dead)
		end_process(process_events->sink, task, PPROF_REC_EXIT);
	else
		note_thread_end(process_events->sink, task);
	local_irq_restore(flags);
}

static void note_rename(struct pprof_sink *sink, struct task_struct *task, const char *comm)
{
	struct pprof_comm *record;

	if (pprof_target_is_unchecked(sink->target, task->tgid))
		return;
	record = pprof_record_event(sink, task, PPROF_REC_COMM, sizeof(*record));
	if (!record)
		return;
	strscpy_pad(record->comm, comm, PPROF_COMM_LEN);
	pprof_record_commit(sink, record);
}

/*
 * @task need not be current. A process can write /proc/PID/comm of a thread that was just reaped,
 * and has no leader any more. Since 7.2 a probe is no RCU read section and can be preempted. So
 * interrupts are off while the thread is seen alive and its leader is used.
 */
static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	struct pprof_process_events *process_events = data;
	unsigned long flags;

	if (!pprof_target_has(process_events->sink->target, task))
		return;
	local_irq_save(flags);
	if (pid_alive(task))
		note_rename(process_events->sink, task, comm);
	local_irq_restore(flags);
}

static const struct pprof_tracepoint_probe probes[] = {
	{ PPROF_TRACEPOINT_EXIT, probe_exit_hook },
	{ PPROF_TRACEPOINT_EXEC, probe_exec },
	{ PPROF_TRACEPOINT_RENAME, probe_rename },
	{ PPROF_TRACEPOINT_NEWTASK, probe_newtask },
};

int pprof_process_events_init(struct pprof_process_events *process_events, struct pprof_sink *sink,
			      bool thread_ends)
{
	int err;

	check_trace_callback_type_task_newtask(probe_newtask);
	check_trace_callback_type_task_rename(probe_rename);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_exit(probe_exit_hook);
	*process_events = (struct pprof_process_events) { .thread_ends = thread_ends };
	err = pprof_mmap_events_new(sink, &process_events->mmap_events);
	if (err)
		return err;
	process_events->sink = sink;
	err = pprof_tracepoint_set_add(probes, ARRAY_SIZE(probes), process_events);
	if (err) {
		pprof_mmap_events_free(process_events->mmap_events);
		process_events->sink = NULL;
	}
	return err;
}

void pprof_process_events_flush(struct pprof_process_events *process_events)
{
	pprof_mmap_events_flush(process_events->mmap_events);
}

void pprof_process_events_fini(struct pprof_process_events *process_events)
{
	if (!process_events->sink)
		return;
	pprof_tracepoint_set_del(probes, ARRAY_SIZE(probes), process_events);
	pprof_mmap_events_free(process_events->mmap_events);
	process_events->sink = NULL;
}
