// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "pprof: " fmt

#include "access.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>

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
 * ptrace_may_access() is not exported. Opening /proc/PID/auxv asks it, and the
 * open file holds the mm that it was asked for: comparing that resists pid
 * reuse, another namespace's /proc, and anything else mounted at /proc, whose
 * file operations are not procfs's.
 */
static int check_by_auxv(struct task_struct *task, const struct mm_struct *mm)
{
	struct file *file = open_auxv(task_tgid_vnr(task));
	bool granted;

	if (IS_ERR(file))
		return -EACCES;
	granted = file->f_op == auxv_fops && file->private_data == mm;
	fput(file);
	return granted ? 0 : -EACCES;
}

/*
 * What stands at /proc may be the caller's own, and never answer. So only the mm's
 * address is kept, which is enough to compare: its memory goes with its process.
 */
int pprof_access_check(struct task_struct *task, bool *undumpable)
{
	struct mm_struct *mm;
	int err = 0;

	if (task->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	mm = get_task_mm(task);
	if (!mm)
		return -ESRCH;
	*undumpable = get_dumpable(mm) != SUID_DUMP_USER;
	mmgrab(mm);
	mmput(mm);
	if (!perfmon_capable())
		err = check_by_auxv(task, mm);
	mmdrop(mm);
	return err;
}
