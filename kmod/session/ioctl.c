// SPDX-License-Identifier: GPL-2.0
/* The only file that reads and writes the structs of ioctls in user memory. */
#include "session/ioctl.h"

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "client/client.h"
#include "client/custom_profiles.h"
#include "session/attach.h"
#include "session/unwind_upload.h"

/* The argument of any ioctl. Each struct begins with the size of the caller's version. */
union ioctl_arg {
	u32 size;
	struct pprof_info info;
	struct pprof_setup setup;
	struct pprof_attach attach;
	struct pprof_start start;
	struct pprof_stop stop;
	struct pprof_table_add table_add;
	struct pprof_table_drop table_drop;
	struct pprof_table_bind table_bind;
	struct pprof_ranges ranges;
	struct pprof_threads threads;
	struct pprof_heap heap;
	struct pprof_custom custom;
	struct pprof_custom_list list;
	struct pprof_custom_read read;
	struct pprof_label label;
	struct pprof_label_slot slot;
};

static int do_info(struct pprof_session *session, union ioctl_arg *arg)
{
	if (arg->info.pad)
		return -EINVAL;
	arg->info = (struct pprof_info) {
		.size = arg->info.size,
		.abi_major = PPROF_ABI_MAJOR,
		.abi_minor = PPROF_ABI_MINOR,
		.nr_cpus = nr_cpu_ids,
		.sources = pprof_session_sources(),
	};
	return 0;
}

static int do_setup(struct pprof_session *session, union ioctl_arg *arg)
{
	return pprof_session_setup(session, &arg->setup);
}

static bool attach_is_valid(const struct pprof_attach *attach)
{
	return !attach->flags && !attach->pad && attach->pid > 0;
}

static int do_attach(struct pprof_session *session, union ioctl_arg *arg)
{
	if (!attach_is_valid(&arg->attach))
		return -EINVAL;
	return pprof_session_attach(session, &arg->attach);
}

static int do_exec_id(struct pprof_session *session, union ioctl_arg *arg)
{
	if (!attach_is_valid(&arg->attach))
		return -EINVAL;
	return pprof_session_exec_id(session, &arg->attach);
}

static int do_start(struct pprof_session *session, union ioctl_arg *arg)
{
	return pprof_session_start(session, &arg->start);
}

static int do_stop(struct pprof_session *session, union ioctl_arg *arg)
{
	return pprof_session_stop(session, &arg->stop);
}

static int do_table_add(struct pprof_session *session, union ioctl_arg *arg)
{
	if (arg->table_add.pad)
		return -EINVAL;
	return pprof_upload_table(session, &arg->table_add);
}

static int do_table_drop(struct pprof_session *session, union ioctl_arg *arg)
{
	return pprof_upload_drop(session, &arg->table_drop);
}

static int do_table_bind(struct pprof_session *session, union ioctl_arg *arg)
{
	if (arg->table_bind.ctime_nsec >= NSEC_PER_SEC)
		return -EINVAL;
	return pprof_upload_bind(session, &arg->table_bind);
}

static int do_ranges(struct pprof_session *session, union ioctl_arg *arg)
{
	if (arg->ranges.pad || arg->ranges.pid <= 0)
		return -EINVAL;
	return pprof_upload_ranges(session, &arg->ranges);
}

static int do_threads(struct pprof_session *session, union ioctl_arg *arg)
{
	if (arg->threads.flags || arg->threads.pad)
		return -EINVAL;
	return pprof_session_threads(session, &arg->threads);
}

static int do_heap(struct pprof_session *session, union ioctl_arg *arg)
{
	return pprof_session_heap(session, &arg->heap);
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

static int do_custom_list(struct pprof_session *session, union ioctl_arg *arg)
{
	struct pprof_attach attach = { .pid = arg->list.pid };
	struct pprof_client *client;
	int err = find_client(session, &attach, &client);

	if (err)
		return err;
	arg->list.pid = attach.pid;
	arg->list.nr = 0;
	if (client) {
		err = pprof_client_list(client, &arg->list);
		pprof_client_put(client);
	}
	return err;
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
 * There is one read at a time: it allocates a buffer, and may wait for user memory for ever.
 * The rights are checked after the wait for the mutex.
 */
static int do_custom_read(struct pprof_session *session, union ioctl_arg *arg)
{
	int err;

	if (arg->read.pad || arg->read.bytes < PPROF_MIN_CUSTOM_BYTES ||
	    !pprof_custom_name_is_valid(arg->read.name))
		return -EINVAL;
	err = mutex_lock_killable(&session->reads);
	if (err)
		return err;
	err = read_client(session, &arg->read);
	mutex_unlock(&session->reads);
	return err;
}

static int do_custom(struct pprof_client *client, union ioctl_arg *arg)
{
	return pprof_client_custom(client, &arg->custom);
}

static int do_label(struct pprof_client *client, union ioctl_arg *arg)
{
	return pprof_client_label(client, &arg->label);
}

static int do_label_slot(struct pprof_client *client, union ioctl_arg *arg)
{
	if (arg->slot.pad)
		return -EINVAL;
	return pprof_client_label_slot(client, &arg->slot);
}

static int do_own_list(struct pprof_client *client, union ioctl_arg *arg)
{
	int err;

	if (arg->list.pid)
		return -EINVAL;
	err = pprof_client_check(client);
	return err ? err : pprof_client_list(client, &arg->list);
}

/* A function is NULL if the ioctl is -EBADF on that kind of file. It checks the argument. */
struct ioctl {
	unsigned int cmd;	/* has the size of the struct, and whether it is copied out */
	int (*of_session)(struct pprof_session *session, union ioctl_arg *arg);
	int (*of_client)(struct pprof_client *client, union ioctl_arg *arg);
};

static const struct ioctl ioctls[] = {
	{ PPROF_IOC_INFO, do_info, NULL },
	{ PPROF_IOC_SETUP, do_setup, NULL },
	{ PPROF_IOC_ATTACH, do_attach, NULL },
	{ PPROF_IOC_EXEC_ID, do_exec_id, NULL },
	{ PPROF_IOC_START, do_start, NULL },
	{ PPROF_IOC_STOP, do_stop, NULL },
	{ PPROF_IOC_TABLE_ADD, do_table_add, NULL },
	{ PPROF_IOC_TABLE_DROP, do_table_drop, NULL },
	{ PPROF_IOC_TABLE_BIND, do_table_bind, NULL },
	{ PPROF_IOC_RANGES, do_ranges, NULL },
	{ PPROF_IOC_THREADS, do_threads, NULL },
	{ PPROF_IOC_HEAP, do_heap, NULL },
	{ PPROF_IOC_LABEL, NULL, do_label },
	{ PPROF_IOC_CUSTOM, NULL, do_custom },
	{ PPROF_IOC_CUSTOM_LIST, do_custom_list, do_own_list },
	{ PPROF_IOC_CUSTOM_READ, do_custom_read, NULL },
	{ PPROF_IOC_LABEL_SLOT, NULL, do_label_slot },
};

/*
 * Finds an ioctl by its number alone: the size in the caller's command may be another one, as the
 * struct may grow. Returns NULL if there is none.
 */
static const struct ioctl *find_ioctl(unsigned int cmd)
{
	for (int i = 0; i < ARRAY_SIZE(ioctls); i++)
		if (_IOC_TYPE(ioctls[i].cmd) == _IOC_TYPE(cmd) &&
		    _IOC_NR(ioctls[i].cmd) == _IOC_NR(cmd))
			return &ioctls[i];
	return NULL;
}

/*
 * Copies an argument in. If the caller's struct is smaller, the rest of the @bytes is zero. If it
 * is larger, the rest of that struct must be zero (else -E2BIG). Another thread may change the size
 * between its two reads: the first one counts.
 */
static int get_arg(union ioctl_arg *arg, size_t bytes, const void __user *from)
{
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < sizeof(size) || size > PAGE_SIZE)
		return -EINVAL;
	err = copy_struct_from_user(arg, bytes, from, size);
	arg->size = size;
	return err;
}

/* An older caller gets the part that it knows. */
static int put_arg(void __user *to, const union ioctl_arg *arg, size_t bytes)
{
	return copy_to_user(to, arg, min_t(size_t, arg->size, bytes)) ? -EFAULT : 0;
}

long pprof_ioctl(struct pprof_session *session, struct pprof_client *client, unsigned int cmd,
		 void __user *user)
{
	const struct ioctl *ioctl = find_ioctl(cmd);
	union ioctl_arg arg;
	int err;

	if (!ioctl)
		return -ENOTTY;
	if (client ? !ioctl->of_client : !ioctl->of_session)
		return -EBADF;
	err = get_arg(&arg, _IOC_SIZE(ioctl->cmd), user);
	if (!err)
		err = client ? ioctl->of_client(client, &arg) : ioctl->of_session(session, &arg);
	if (!err && (_IOC_DIR(ioctl->cmd) & _IOC_READ))
		err = put_arg(user, &arg, _IOC_SIZE(ioctl->cmd));
	return err;
}
