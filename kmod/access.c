// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "pprof: " fmt

#include "access.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

static const struct file_operations *auxv_fops;

static struct file *open_auxv(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	return filp_open(path, O_RDONLY | O_NONBLOCK, 0);
}

int pprof_access_init(void)
{
	struct file *file = open_auxv(task_tgid_vnr(current));

	if (IS_ERR(file) || file->private_data != current->mm) {
		pr_err("/proc is not mounted, or not by its pids\n");
		if (!IS_ERR(file))
			fput(file);
		return -ENOENT;
	}
	auxv_fops = file->f_op;
	fput(file);
	return 0;
}

/*
 * ptrace_may_access() is not exported. Opening /proc/TID/auxv asks it, and the
 * open file holds the mm that it was asked for: comparing that resists pid
 * reuse, another namespace's /proc, and anything else mounted at /proc, whose
 * file operations are not procfs's.
 */
static int check_by_auxv(pid_t tid, const struct mm_struct *mm)
{
	struct file *file = open_auxv(tid);
	bool granted;

	if (IS_ERR(file))
		return -EACCES;
	granted = file->f_op == auxv_fops && file->private_data == mm;
	fput(file);
	return granted ? 0 : -EACCES;
}

struct mm_struct *pprof_access_mm(struct pid *process, pid_t *tid)
{
	struct task_struct *leader, *task;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, task) {
			mm = get_task_mm(task);
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
	is = leader && (leader->flags & PF_KTHREAD);
	rcu_read_unlock();
	return is;
}

/*
 * What stands at /proc may be the caller's own, and never answer. So only the mm's
 * address is kept, which is enough to compare: its memory goes with its process.
 */
int pprof_access_check(struct pid *process, bool *undumpable)
{
	struct mm_struct *mm;
	int err = 0;
	pid_t tid;

	mm = pprof_access_mm(process, &tid);
	if (!mm)
		return is_kernel_thread(process) ? -EOPNOTSUPP : -ESRCH;
	*undumpable = get_dumpable(mm) != SUID_DUMP_USER;
	mmgrab(mm);
	mmput(mm);
	if (!perfmon_capable())
		err = check_by_auxv(tid, mm);
	mmdrop(mm);
	return err;
}
