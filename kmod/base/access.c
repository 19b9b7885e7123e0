// SPDX-License-Identifier: GPL-2.0
#undef pr_fmt
#define pr_fmt(fmt) "pprof: " fmt

#include "base/access.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>

#include "base/compat.h"

/* To open such a file, procfs calls ptrace_may_access() with the mode of enum pprof_access. */
static const char *const proc_files[] = {
	[PPROF_ACCESS_STACKS] = "auxv",
	[PPROF_ACCESS_MEMORY] = "mem",
};

static const struct file_operations *fops[ARRAY_SIZE(proc_files)];

static struct file *open_file(pid_t pid, enum pprof_access what)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, proc_files[what]);
	return filp_open(path, O_RDONLY | O_NONBLOCK, 0);
}

static int learn_fops(enum pprof_access what)
{
	struct file *file = open_file(task_tgid_vnr(current), what);

	if (IS_ERR(file) || file->private_data != current->mm) {
		pr_err("/proc is not that of this pid namespace: mount it there, and load again\n");
		if (!IS_ERR(file))
			fput(file);
		return -ENOENT;
	}
	fops[what] = file->f_op;
	fput(file);
	return 0;
}

int pprof_access_init(void)
{
	int err = learn_fops(PPROF_ACCESS_STACKS);

	return err ? err : learn_fops(PPROF_ACCESS_MEMORY);
}

/*
 * ptrace_may_access() is not exported, so this opens a file of procfs. The open file holds the mm
 * that procfs checked. The comparison of mm protects against a reused pid, and the procfs of
 * another namespace. The comparison of file operations protects against another file system at
 * /proc.
 */
static bool may_open(pid_t tid, const struct mm_struct *mm, enum pprof_access what)
{
	struct file *file = open_file(tid, what);
	bool granted;

	if (IS_ERR(file))
		return false;
	granted = file->f_op == fops[what] && file->private_data == mm;
	fput(file);
	return granted;
}

bool pprof_access_is_trusted(enum pprof_access what)
{
	return perfmon_capable() && (what == PPROF_ACCESS_STACKS || capable(CAP_SYS_PTRACE));
}

static int check_by_proc(pid_t tid, const struct mm_struct *mm, enum pprof_access what)
{
	if (!perfmon_capable() && !may_open(tid, mm, PPROF_ACCESS_STACKS))
		return -EACCES;
	return what == PPROF_ACCESS_STACKS || may_open(tid, mm, what) ? 0 : -EPERM;
}

struct mm_struct *pprof_access_grab(struct task_struct *task)
{
	struct mm_struct *mm;

	task_lock(task);
	/* The task may set other flags now. This one never changes. */
	mm = data_race(task->flags & PF_KTHREAD) ? NULL : task->mm;
	if (mm)
		mmgrab(mm);
	task_unlock(task);
	return mm;
}

struct mm_struct *pprof_access_mm(struct pid *process, pid_t *tid)
{
	struct task_struct *leader, *task;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, task) {
			mm = pprof_access_grab(task);
			if (mm) {
				*tid = task_pid_vnr(task);
				break;
			}
		}
	}
	rcu_read_unlock();
	return mm;
}

static bool is_kernel_thread(struct pid *process)
{
	struct task_struct *leader;
	bool is;

	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	/* See pprof_access_grab(). */
	is = leader && data_race(leader->flags & PF_KTHREAD);
	rcu_read_unlock();
	return is;
}

/*
 * Returns the user namespace of @mm, with a reference; NULL if no thread of @process uses @mm any
 * more. An exec replaces both under task_lock().
 */
static struct user_namespace *get_exec_user_ns(struct pid *process, const struct mm_struct *mm)
{
	struct user_namespace *ns = NULL;
	struct task_struct *leader, *task;

	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, task) {
			task_lock(task);
			if (task->mm == mm)
				ns = get_user_ns(pprof_exec_user_ns(task, mm));
			task_unlock(task);
			if (ns)
				break;
		}
	}
	rcu_read_unlock();
	return ns;
}

/* The same, but NULL if current does not have CAP_SYS_PTRACE in that namespace. */
static struct user_namespace *get_traced_ns(struct pid *process, const struct mm_struct *mm)
{
	struct user_namespace *ns = get_exec_user_ns(process, mm);

	if (!ns || ns_capable_noaudit(ns, CAP_SYS_PTRACE))
		return ns;
	put_user_ns(ns);
	return NULL;
}

/*
 * The caller may have mounted its own file system at /proc, which never answers. So this holds a
 * reference to the mm that does not keep its mappings: its address is enough to compare.
 */
int pprof_access_check(struct pid *process, enum pprof_access what, struct user_namespace **traced)
{
	struct mm_struct *mm;
	int err = 0;
	pid_t tid;

	mm = pprof_access_mm(process, &tid);
	if (!mm)
		return is_kernel_thread(process) ? -EOPNOTSUPP : -ESRCH;
	if (!pprof_access_is_trusted(what))
		err = check_by_proc(tid, mm, what);
	if (!err)
		*traced = get_traced_ns(process, mm);
	mmdrop(mm);
	return err;
}

bool pprof_access_sees_calls(struct pid *process)
{
	struct mm_struct *mm;
	bool sees;
	pid_t tid;

	mm = pprof_access_mm(process, &tid);
	if (!mm)
		return false;
	sees = may_open(tid, mm, PPROF_ACCESS_MEMORY);
	mmdrop(mm);
	return sees;
}
