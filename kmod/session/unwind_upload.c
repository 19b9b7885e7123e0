// SPDX-License-Identifier: GPL-2.0
#include "session/unwind_upload.h"

#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mmap_lock.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "base/perfmon.h"
#include "base/access.h"
#include "session/attach.h"
#include "session/session_list.h"

/* Once this is true, it stays true. */
static bool has_tables(struct pprof_session *session)
{
	return smp_load_acquire(&session->set_up) &&	/* pairs with setup_locked() */
	       (session->flags & PPROF_SETUP_TABLES);
}

/*
 * Charges @bytes of tables and ranges before memory is allocated. Without CAP_PERFMON a user has
 * one bound for all sessions.
 */
static int charge(struct pprof_session *session, u64 bytes)
{
	u64 cost = pprof_session_tables_cost(bytes), limit = PPROF_MAX_TABLE_BYTES;
	int err = -ENOSPC;

	pprof_sessions_lock();
	if (pprof_perfmon_noaudit()) {
		cost += atomic64_read(&session->session_tables.cost);
	} else {
		cost += pprof_sessions_cost(session->quota);
		limit = PPROF_MAX_USER_TABLE_BYTES;
	}
	if (cost <= limit) {
		atomic64_add(pprof_session_tables_cost(bytes), &session->session_tables.cost);
		err = 0;
	}
	pprof_sessions_unlock();
	return err;
}

/* Locks: none are held while user memory is read, as that may take for ever. */
int pprof_upload_table(struct pprof_session *session, struct pprof_table_add *add)
{
	int err;

	if (!has_tables(session))
		return -EINVAL;
	if (add->bytes > PPROF_TABLE_MAX_BYTES)
		return -E2BIG;
	err = charge(session, add->bytes);
	if (err)
		return err;
	return pprof_session_tables_add_table(&session->session_tables, u64_to_user_ptr(add->data),
					      add->bytes, &add->table);
}

int pprof_upload_drop(struct pprof_session *session, const struct pprof_table_drop *drop)
{
	if (!has_tables(session))
		return -EINVAL;
	return pprof_session_tables_drop_table(&session->session_tables, drop->table);
}

/*
 * A mapping of a file of overlayfs has the inode of the layer. That is the real one. The ctime is
 * the caller's: it is from before the caller read the file. So a table of old content is not bound
 * to new content.
 */
static int bind_inode(struct pprof_session *session, const struct pprof_table_bind *bind,
		      const struct inode *inode)
{
	struct pprof_file_identity id;

	if (!inode || !S_ISREG(inode->i_mode))
		return -EINVAL;
	pprof_file_identity_get(&id, inode);
	id.ctime_sec = bind->ctime_sec;
	id.ctime_nsec = bind->ctime_nsec;
	return pprof_session_tables_bind(&session->session_tables, bind->table, &id);
}

static int bind_vdso(struct pprof_session *session, const struct pprof_table_bind *bind)
{
	if (bind->ctime_sec || bind->ctime_nsec)
		return -EINVAL;
	return pprof_session_tables_bind(&session->session_tables, bind->table,
					 &PPROF_VDSO_IDENTITY);
}

/* No reference is kept: the caller may close the file, and its file system may be unmounted. */
int pprof_upload_bind(struct pprof_session *session, const struct pprof_table_bind *bind)
{
	struct file *file;
	int err;

	if (!has_tables(session))
		return -EINVAL;
	if (bind->fd == -1)
		return bind_vdso(session, bind);
	file = fget(bind->fd);
	if (!file)
		return -EBADF;
	err = bind_inode(session, bind, d_real_inode(file->f_path.dentry));
	fput(file);
	return err;
}

/*
 * The kernel reports a mapping before it counts it, and holds the mmap lock for both. So each
 * mapping that the caller knows of is counted here. If the process has ended, the number has no
 * meaning: see set_ranges().
 */
static int count_exec_pages(struct pid *process, u64 *pages)
{
	struct mm_struct *mm;
	pid_t tid;
	int err;

	mm = pprof_access_mm(process, &tid);
	if (!mm)
		return -ESRCH;
	err = mmap_read_lock_killable(mm);
	if (!err) {
		*pages = mm->exec_vm;
		mmap_read_unlock(mm);
	}
	mmdrop(mm);
	return err;
}

static bool is_target(struct pprof_session *session, struct pid *process, u64 exec_id)
{
	struct task_struct *leader;
	bool is;

	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	is = leader && pprof_target_has(&session->target, leader) &&
	     atomic_read(&leader->signal->live) && pprof_exec_id(leader) == exec_id &&
	     pprof_record_is_followed(&session->sink, leader);
	rcu_read_unlock();
	return is;
}

/*
 * The cost is charged. The ranges own it, and an error gives it back. If the process ended or
 * called exec before its ranges were set, the hooks did not drop them: the check afterwards does.
 * Later events are seen by the hooks.
 */
static int set_ranges(struct pprof_session *session, struct pid *process,
		      const struct pprof_ranges *args, const struct pprof_range *ranges)
{
	u64 exec_id = args->exec_id;
	u32 nr = args->nr;
	pid_t tgid = pid_nr(process);
	u64 exec_pages;
	int err = count_exec_pages(process, &exec_pages);

	if (err) {
		pprof_session_tables_uncharge(&session->session_tables, nr * sizeof(*ranges));
		return err;
	}
	mutex_lock(&session->lock);
	err = pprof_session_tables_set(&session->session_tables, tgid, exec_id, ranges, nr,
				       exec_pages, &args->context);
	if (!err && !is_target(session, process, exec_id)) {
		pprof_session_tables_drop(&session->session_tables, tgid, exec_id + 1);
		err = -ESRCH;
	}
	mutex_unlock(&session->lock);
	return err;
}

/* Charges before the copy, which may take for ever. Many calls at once cannot exceed the bound. */
static int copy_ranges(struct pprof_session *session, const struct pprof_ranges *ranges,
		       struct pprof_range **copy)
{
	size_t bytes = ranges->nr * sizeof(**copy);
	int err = charge(session, bytes);

	if (err)
		return err;
	*copy = kvmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!*copy)
		err = -ENOMEM;
	else if (copy_from_user(*copy, u64_to_user_ptr(ranges->ranges), bytes))
		err = -EFAULT;
	if (err) {
		pprof_session_tables_uncharge(&session->session_tables, bytes);
		kvfree(*copy);
	}
	return err;
}

static int upload_ranges(struct pprof_session *session, struct pid *process,
			 const struct pprof_ranges *ranges)
{
	struct pprof_range *copy;
	int err;

	if (!is_target(session, process, ranges->exec_id))
		return -ESRCH;
	err = copy_ranges(session, ranges, &copy);
	if (err)
		return err;
	err = set_ranges(session, process, ranges, copy);
	kvfree(copy);
	return err;
}

static bool context_is_valid(const struct pprof_session *session,
			     const struct pprof_tls_address *context)
{
	if (context->kind != PPROF_TLS_NONE && !(session->flags & PPROF_SETUP_CONTEXT))
		return false;
	return pprof_tls_address_is_valid(context);
}

int pprof_upload_ranges(struct pprof_session *session, const struct pprof_ranges *ranges)
{
	struct pid *process;
	int err = -ESRCH;

	if (!has_tables(session) || ranges->nr > PPROF_MAX_RANGES ||
	    !context_is_valid(session, &ranges->context))
		return -EINVAL;
	process = pprof_session_find_process(session, ranges->pid);
	if (process)
		err = upload_ranges(session, process, ranges);
	put_pid(process);
	return err;
}
