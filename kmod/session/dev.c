// SPDX-License-Identifier: GPL-2.0
/* The device, and its two kinds of files. */
#include "session/dev.h"

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/workqueue.h>

#include "client/client.h"
#include "session/ioctl.h"
#include "session/session_list.h"
#include "session/user_policy.h"

/*
 * A file that is opened for writing only is a client. Any other file is a session. f_mode does not
 * change, and so gives the type of private_data. Other file operations for clients are rejected:
 * open() would have to change those of the file.
 */
static bool is_client(const struct file *file)
{
	return !(file->f_mode & FMODE_READ);
}

/* A client reads only data of its own process. It does not count as a session. */
static int open_client(struct file *file)
{
	struct pprof_client *client;
	int err = pprof_client_get(&client);

	if (!err)
		file->private_data = client;
	return err;
}

/* Kernel lockdown as for perf: a profiler reads the behaviour of programs. */
static int open_session(struct file *file)
{
	struct pprof_session *session;
	int err = security_locked_down(LOCKDOWN_PERF);

	if (!err && !pprof_user_policy_allows() && !perfmon_capable())
		err = -EACCES;
	if (!err)
		err = pprof_session_new(&session);
	if (err)
		return err;
	err = pprof_sessions_add(session);
	if (err)
		pprof_session_free(session);
	else
		file->private_data = session;
	return err;
}

static int device_open(struct inode *inode, struct file *file)
{
	int err = is_client(file) ? open_client(file) : open_session(file);

	return err ? err : stream_open(inode, file);
}

static void close_session(struct pprof_session *session)
{
	pprof_sessions_hide(session);
	pprof_session_end(session);
	pprof_sessions_remove(session);
	pprof_session_free(session);
}

/*
 * Closes sessions whose last reference another process drops. That may be an io_uring worker, a
 * receiver of SCM_RIGHTS, or a reader of a dying mm. None of them should wait for a cooldown and
 * the end of a session. An end may take as long as another process likes (see heap/uprobes.h). So
 * each session has a work item of its own.
 */
static struct workqueue_struct *closers;

/* The module stays until this function has returned: pprof_dev_exit() waits for that. */
static void close_orphan(struct work_struct *work)
{
	close_session(container_of(work, struct pprof_session, orphan));
	module_put(THIS_MODULE);
}

/* The file still has a reference to the module. */
static void leave_to_closer(struct pprof_session *session)
{
	__module_get(THIS_MODULE);
	INIT_WORK(&session->orphan, close_orphan);
	queue_work(closers, &session->orphan);
}

static bool is_owner(const struct pprof_session *session)
{
	return !(current->flags & PF_KTHREAD) && current->tgid == session->owner_pid;
}

static int dev_release(struct inode *inode, struct file *file)
{
	if (is_client(file))
		pprof_client_put(file->private_data);
	else if (is_owner(file->private_data))
		close_session(file->private_data);
	else
		leave_to_closer(file->private_data);
	return 0;
}

static int dev_flush(struct file *file, fl_owner_t owner)
{
	if (is_client(file))
		pprof_client_flush(file->private_data);
	return 0;
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;

	return is_client(file) ? pprof_ioctl(NULL, file->private_data, cmd, user) :
				 pprof_ioctl(file->private_data, NULL, cmd, user);
}

static int dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	return is_client(file) ? -EBADF : pprof_session_mmap(file->private_data, vma);
}

static __poll_t dev_poll(struct file *file, poll_table *table)
{
	return is_client(file) ? EPOLLERR :
				 pprof_session_poll(file->private_data, file, table);
}

static const struct file_operations pprof_fops = {
	.owner		= THIS_MODULE,
	.open		= device_open,
	.flush		= dev_flush,
	.release	= dev_release,
	.unlocked_ioctl	= dev_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= dev_mmap,
	.poll		= dev_poll,
	.llseek		= noop_llseek,
};

static struct miscdevice pprof_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "pprof",
	.fops	= &pprof_fops,
	.mode	= 0666,	/* rights are checked for each process, at ATTACH */
};

int pprof_dev_init(void)
{
	int err;

	closers = alloc_workqueue("pprof", WQ_UNBOUND, 0);
	if (!closers)
		return -ENOMEM;
	err = misc_register(&pprof_misc);
	if (err)
		destroy_workqueue(closers);
	return err;
}

void pprof_dev_exit(void)
{
	misc_deregister(&pprof_misc);
	destroy_workqueue(closers);	/* no file is open any more */
	pprof_client_exit();
}
