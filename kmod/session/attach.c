// SPDX-License-Identifier: GPL-2.0
#include "session/attach.h"

#include <linux/capability.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <linux/user_namespace.h>

#include "base/access.h"
#include "base/exec_id.h"

struct pid *pprof_session_find_process(struct pprof_session *session, pid_t pid)
{
	struct task_struct *task;
	struct pid *process = NULL;

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, session->ns), PIDTYPE_PID);
	if (task)
		process = get_pid(task_tgid(task));
	rcu_read_unlock();
	return process;
}

/* Before SETUP the flags are 0, which means stacks. */
static enum pprof_access accessed(const struct pprof_session *session)
{
	return READ_ONCE(session->flags) & PPROF_SETUP_TABLES ? PPROF_ACCESS_MEMORY :
								PPROF_ACCESS_STACKS;
}

/*
 * Opens a file below the caller's /proc, which may take for ever.
 * Locks: the caller holds none, or session->reads.
 */
static int check_process(struct pprof_session *session, struct pprof_attach *attach,
			 struct pid *process, struct user_namespace **traced)
{
	int err;

	attach->exec_id = pprof_process_exec_id(process);
	if (!attach->exec_id)	/* it is ending: its exit may have passed the hooks already */
		return -ESRCH;
	attach->pid = pid_nr_ns(process, session->ns);
	err = pprof_access_check(process, accessed(session), traced);
	if (err)
		return err;
	if (attach->exec_id == pprof_process_exec_id(process))
		return 0;
	put_user_ns(*traced);
	return -EAGAIN;
}

int pprof_session_look(struct pprof_session *session, struct pprof_attach *attach,
		       struct pid **process)
{
	struct user_namespace *traced;
	int err;

	*process = pprof_session_find_process(session, attach->pid);
	if (!*process)
		return -ESRCH;
	err = check_process(session, attach, *process, &traced);
	if (err)
		put_pid(*process);
	else
		put_user_ns(traced);
	return err;
}

int pprof_session_exec_id(struct pprof_session *session, struct pprof_attach *attach)
{
	struct pid *process;
	int err = pprof_session_look(session, attach, &process);

	if (!err)
		put_pid(process);
	return err;
}

/* Removes the target. When it returns, no hook that saw it as a target is running. */
static void reject(struct pprof_target *target, pid_t tgid)
{
	pprof_target_remove(target, tgid);
	tracepoint_synchronize_unregister();
}

/*
 * A poller may have looked before the first target was attached, or when the only target was one
 * that is not checked yet. All targets may have ended since: wake it again.
 */
static void wake_if_empty(struct pprof_session *session)
{
	/*
	 * Pairs with end_process() and the poller that it wakes. They write target.nr, and then
	 * read attached.
	 */
	smp_mb();
	if (pprof_target_is_empty(&session->target))
		pprof_wakeup(&session->sink.wakeup);
}

/* What the caller of ATTACH may see of the process. */
struct rights {
	bool trusted;	/* see pprof_access_is_trusted() */
	bool sees_calls;
	struct user_namespace *traced;	/* see pprof_access_check() */
};

/* The session keeps only the rights that all callers of ATTACH without CAP_PERFMON had. */
static void limit_rights(struct pprof_sink *sink, const struct rights *rights)
{
	struct user_namespace *traced = rights->traced;

	if (!rights->sees_calls)
		WRITE_ONCE(sink->sees_calls, false);
	if (sink->trusted)
		WRITE_ONCE(sink->traced, get_user_ns(traced));
	else if (sink->traced != traced)
		put_user_ns(xchg(&sink->traced, NULL));
	WRITE_ONCE(sink->trusted, false);
}

/* After an ATTACH that failed there is an old process. */
static void set_only_process(struct pprof_sink *sink, struct pid *process, u64 exec_id)
{
	struct pid *old = sink->only_process;

	/* RANGES reads both without the mutex, and checks again under it. */
	WRITE_ONCE(sink->only_exec_id, exec_id);
	WRITE_ONCE(sink->only_process, get_pid(process));
	put_pid(old);
}

/*
 * The process may have ended, or called exec of a program that the caller must not see, after the
 * check and before it is a target. The hooks did not see that. No sample was taken meanwhile: no
 * source runs, and THREADS takes the mutex. It has no child that is a target either.
 *
 * While the target is unchecked, the hooks see its end and its exec, but do not report them. So its
 * exec id is read again after that. By then the hooks have removed a target that has ended.
 */
static int add_target(struct pprof_target *target, struct pid *process, u64 exec_id)
{
	pid_t tgid = pid_nr(process);
	bool is_new = pprof_target_add_unchecked(target, tgid);
	u64 now = pprof_process_exec_id(process);

	if (is_new && now != exec_id)
		reject(target, tgid);
	pprof_target_end_check(target);
	if (is_new && now == exec_id) {
		now = pprof_process_exec_id(process);
		if (now && now != exec_id)
			reject(target, tgid);
	}
	if (now == exec_id)
		return 0;
	return now ? -EAGAIN : -ESRCH;
}

static int add_process(struct pprof_session *session, const struct pprof_attach *attach,
		       struct pid *process, const struct rights *rights)
{
	struct pprof_sink *sink = &session->sink;
	int err;

	if (session->flags & (PPROF_SETUP_ALL | PPROF_SETUP_CGROUP))
		return -EINVAL;
	if (session->running || (session->attached && pprof_session_is_snapshot(session)))
		return -EBUSY;
	if (pprof_session_is_snapshot(session))
		set_only_process(sink, process, attach->exec_id);
	if (!rights->trusted)
		limit_rights(sink, rights);
	err = add_target(&session->target, process, attach->exec_id);
	if (!err)
		WRITE_ONCE(session->attached, true);
	wake_if_empty(session);
	return err;
}

int pprof_session_attach(struct pprof_session *session, struct pprof_attach *attach)
{
	struct rights rights;
	struct pid *process;
	int err;

	if (!smp_load_acquire(&session->set_up))	/* the flags do not change any more */
		return -EINVAL;
	rights.trusted = pprof_access_is_trusted(accessed(session));
	process = pprof_session_find_process(session, attach->pid);
	if (!process)
		return -ESRCH;
	err = check_process(session, attach, process, &rights.traced);
	if (!err) {
		rights.sees_calls = rights.trusted || pprof_access_sees_calls(process);
		mutex_lock(&session->lock);
		err = add_process(session, attach, process, &rights);
		mutex_unlock(&session->lock);
		put_user_ns(rights.traced);
	}
	put_pid(process);
	return err;
}
