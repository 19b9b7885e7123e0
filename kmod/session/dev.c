// SPDX-License-Identifier: GPL-2.0
/* The only file that reads and writes the structs of ioctls in user memory. */
#include "session/dev.h"

#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "client/client.h"
#include "client/custom_profiles.h"
#include "session/session_list.h"
#include "session/unwind_upload.h"

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

/* Keeps the module until this function returns, for which pprof_dev_exit() waits. */
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

/* Each struct begins with its size in the caller's version. */
static int get_arg(void *arg, size_t bytes, const void __user *from)
{
	u32 size;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < sizeof(size) || size > PAGE_SIZE)
		return -EINVAL;
	return copy_struct_from_user(arg, bytes, from, size);
}

/* An older caller gets the part that it knows. */
static int put_arg(void __user *to, const void *arg, size_t bytes)
{
	u32 size = *(const u32 *)arg;

	return copy_to_user(to, arg, min_t(size_t, size, bytes)) ? -EFAULT : 0;
}

static int ioctl_info(struct pprof_session *session, void __user *user)
{
	struct pprof_info info;
	int err = get_arg(&info, sizeof(info), user);

	if (err)
		return err;
	if (info.pad)
		return -EINVAL;
	info = (struct pprof_info) {
		.size = info.size,
		.abi_major = PPROF_ABI_MAJOR,
		.abi_minor = PPROF_ABI_MINOR,
		.nr_cpus = nr_cpu_ids,
		.sources = pprof_session_sources(),
	};
	return put_arg(user, &info, sizeof(info));
}

static int ioctl_setup(struct pprof_session *session, void __user *user)
{
	struct pprof_setup setup;
	int err = get_arg(&setup, sizeof(setup), user);

	return err ? err : pprof_session_setup(session, &setup);
}

static int with_process(struct pprof_session *session, void __user *user,
			int (*act)(struct pprof_session *, struct pprof_attach *))
{
	struct pprof_attach attach;
	int err = get_arg(&attach, sizeof(attach), user);

	if (err)
		return err;
	if (attach.flags || attach.pad || attach.pid <= 0)
		return -EINVAL;
	err = act(session, &attach);
	return err ? err : put_arg(user, &attach, sizeof(attach));
}

static int ioctl_start(struct pprof_session *session, void __user *user)
{
	struct pprof_start start;
	int err = get_arg(&start, sizeof(start), user);

	return err ? err : pprof_session_start(session, &start);
}

static int ioctl_stop(struct pprof_session *session, void __user *user)
{
	struct pprof_stop stop;
	int err = get_arg(&stop, sizeof(stop), user);

	return err ? err : pprof_session_stop(session, &stop);
}

static int ioctl_table_add(struct pprof_session *session, void __user *user)
{
	struct pprof_table_add add;
	int err = get_arg(&add, sizeof(add), user);

	if (err)
		return err;
	if (add.pad)
		return -EINVAL;
	err = pprof_upload_table(session, &add);
	return err ? err : put_arg(user, &add, sizeof(add));
}

static int ioctl_table_drop(struct pprof_session *session, void __user *user)
{
	struct pprof_table_drop drop;
	int err = get_arg(&drop, sizeof(drop), user);

	return err ? err : pprof_upload_drop(session, &drop);
}

static int ioctl_ranges(struct pprof_session *session, void __user *user)
{
	struct pprof_ranges ranges;
	int err = get_arg(&ranges, sizeof(ranges), user);

	if (err)
		return err;
	if (ranges.pad || ranges.pid <= 0)
		return -EINVAL;
	return pprof_upload_ranges(session, &ranges);
}

static int ioctl_threads(struct pprof_session *session, void __user *user)
{
	struct pprof_threads threads;
	int err = get_arg(&threads, sizeof(threads), user);

	if (err)
		return err;
	if (threads.flags || threads.pad)
		return -EINVAL;
	err = pprof_session_threads(session, &threads);
	return err ? err : put_arg(user, &threads, sizeof(threads));
}

static int ioctl_heap(struct pprof_session *session, void __user *user)
{
	struct pprof_heap heap;
	int err = get_arg(&heap, sizeof(heap), user);

	return err ? err : pprof_session_heap(session, &heap);
}

/*
 * Finds the client of a process, if the session may look into it. *client is NULL if there is none.
 * Sets the leader's pid and the exec id that was checked, which is that of the client.
 */
static int find_client(struct pprof_session *session, struct pprof_attach *attach,
		       struct pprof_client **client)
{
	struct pid *process;
	int err = attach->pid <= 0 ? -EINVAL : pprof_session_look(session, attach, &process);

	if (err)
		return err;
	*client = pprof_client_find(process, attach->exec_id);
	put_pid(process);
	return 0;
}

static int ioctl_custom_list(struct pprof_session *session, void __user *user)
{
	struct pprof_attach attach = { 0 };
	struct pprof_custom_list list;
	struct pprof_client *client;
	int err = get_arg(&list, sizeof(list), user);

	if (err)
		return err;
	attach.pid = list.pid;
	err = find_client(session, &attach, &client);
	if (err)
		return err;
	list.pid = attach.pid;
	list.nr = 0;
	if (client) {
		err = pprof_client_list(client, &list);
		pprof_client_put(client);
	}
	return err ? err : put_arg(user, &list, sizeof(list));
}

static int read_client(struct pprof_session *session, struct pprof_custom_read *read)
{
	struct pprof_attach attach = { .pid = read->pid };
	struct pprof_client *client;
	int err = find_client(session, &attach, &client);

	if (err)
		return err;
	if (!client)
		return -ENOENT;
	read->pid = attach.pid;
	read->exec_id = attach.exec_id;
	err = pprof_client_read(client, read);
	pprof_client_put(client);
	return err;
}

/*
 * One at a time: each allocates a buffer, and may wait for user memory as long as the caller likes.
 * The rights are checked after the wait for the mutex.
 */
static int ioctl_custom_read(struct pprof_session *session, void __user *user)
{
	struct pprof_custom_read read;
	int err = get_arg(&read, sizeof(read), user);

	if (err)
		return err;
	if (read.pad || read.bytes < PPROF_MIN_CUSTOM_BYTES ||
	    !pprof_custom_name_is_valid(read.name))
		return -EINVAL;
	err = mutex_lock_killable(&session->reads);
	if (err)
		return err;
	err = read_client(session, &read);
	mutex_unlock(&session->reads);
	return err ? err : put_arg(user, &read, sizeof(read));
}

static long session_ioctl(struct pprof_session *session, unsigned int nr, void __user *user)
{
	switch (nr) {
	case _IOC_NR(PPROF_IOC_INFO):
		return ioctl_info(session, user);
	case _IOC_NR(PPROF_IOC_SETUP):
		return ioctl_setup(session, user);
	case _IOC_NR(PPROF_IOC_ATTACH):
		return with_process(session, user, pprof_session_attach);
	case _IOC_NR(PPROF_IOC_EXEC_ID):
		return with_process(session, user, pprof_session_exec_id);
	case _IOC_NR(PPROF_IOC_START):
		return ioctl_start(session, user);
	case _IOC_NR(PPROF_IOC_STOP):
		return ioctl_stop(session, user);
	case _IOC_NR(PPROF_IOC_TABLE_ADD):
		return ioctl_table_add(session, user);
	case _IOC_NR(PPROF_IOC_TABLE_DROP):
		return ioctl_table_drop(session, user);
	case _IOC_NR(PPROF_IOC_RANGES):
		return ioctl_ranges(session, user);
	case _IOC_NR(PPROF_IOC_THREADS):
		return ioctl_threads(session, user);
	case _IOC_NR(PPROF_IOC_HEAP):
		return ioctl_heap(session, user);
	case _IOC_NR(PPROF_IOC_CUSTOM_LIST):
		return ioctl_custom_list(session, user);
	case _IOC_NR(PPROF_IOC_CUSTOM_READ):
		return ioctl_custom_read(session, user);
	case _IOC_NR(PPROF_IOC_CUSTOM):
	case _IOC_NR(PPROF_IOC_LABEL):
	case _IOC_NR(PPROF_IOC_LABEL_SLOT):
		return -EBADF;
	}
	return -ENOTTY;
}

static int ioctl_custom(struct pprof_client *client, void __user *user)
{
	struct pprof_custom custom;
	int err = get_arg(&custom, sizeof(custom), user);

	if (!err)
		err = pprof_client_custom(client, &custom);
	return err ? err : put_arg(user, &custom, sizeof(custom));
}

static int ioctl_label(struct pprof_client *client, void __user *user)
{
	struct pprof_label label;
	int err = get_arg(&label, sizeof(label), user);

	if (!err)
		err = pprof_client_label(client, &label);
	return err ? err : put_arg(user, &label, sizeof(label));
}

static int ioctl_label_slot(struct pprof_client *client, void __user *user)
{
	struct pprof_label_slot slot;
	int err = get_arg(&slot, sizeof(slot), user);

	if (err)
		return err;
	if (slot.pad)
		return -EINVAL;
	err = pprof_client_label_slot(client, &slot);
	return err ? err : put_arg(user, &slot, sizeof(slot));
}

static int ioctl_own_list(struct pprof_client *client, void __user *user)
{
	struct pprof_custom_list list;
	int err = get_arg(&list, sizeof(list), user);

	if (err)
		return err;
	if (list.pid)
		return -EINVAL;
	err = pprof_client_check(client);
	if (!err)
		err = pprof_client_list(client, &list);
	return err ? err : put_arg(user, &list, sizeof(list));
}

static long client_ioctl(struct pprof_client *client, unsigned int nr, void __user *user)
{
	switch (nr) {
	case _IOC_NR(PPROF_IOC_CUSTOM):
		return ioctl_custom(client, user);
	case _IOC_NR(PPROF_IOC_CUSTOM_LIST):
		return ioctl_own_list(client, user);
	case _IOC_NR(PPROF_IOC_LABEL):
		return ioctl_label(client, user);
	case _IOC_NR(PPROF_IOC_LABEL_SLOT):
		return ioctl_label_slot(client, user);
	case _IOC_NR(PPROF_IOC_INFO) ... _IOC_NR(PPROF_IOC_HEAP):
	case _IOC_NR(PPROF_IOC_CUSTOM_READ):
		return -EBADF;
	}
	return -ENOTTY;
}

/* Dispatches by number alone: the whole command contains the size of a struct, which may grow. */
static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;

	if (_IOC_TYPE(cmd) != PPROF_IOC_MAGIC)
		return -ENOTTY;
	return is_client(file) ? client_ioctl(file->private_data, _IOC_NR(cmd), user) :
				 session_ioctl(file->private_data, _IOC_NR(cmd), user);
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
