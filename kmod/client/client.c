// SPDX-License-Identifier: GPL-2.0
#include "client/client.h"

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "client/custom_profiles.h"
#include "client/thread_labels.h"
#include "base/user_quota.h"
#include "base/exec_id.h"

#define MAX_READ_BYTES		((u32)SZ_256K)	/* a session allocates a buffer of this size */

/*
 * A client is a process with one exec id. The struct pid identifies the process: no other process
 * has it while it is held. The exec id alone is a number that another process may get, too.
 */
struct pprof_client {
	struct hlist_node node;	/* guarded by clients_lock, as listed is */
	bool listed;		/* the client is on the list: it is not known to have ended */
	refcount_t refs;	/* of the list, of each file, and of each reader */
	struct pid *process;	/* of the thread group: constant */
	u64 exec_id;		/* constant */
	const void *mm;		/* mm of the exec id: see pprof_client_flush() */
	/*
	 * Guards customs. No user memory is touched under it. Still, the process may have many
	 * threads that take it. So a thread that waits for it can be killed.
	 */
	struct mutex lock;
	struct pprof_custom_profiles customs;
	/*
	 * Guards thread_labels. It is held while the label page is mapped. The process can delay
	 * that for as long as it likes. So readers of customs take the other mutex.
	 */
	struct mutex labels_lock;
	struct pprof_thread_labels *thread_labels;	/* NULL: its threads have no labels yet */
};

/*
 * A process that ends or calls exec waits for clients_lock, while other processes may open files
 * all the time. So an open looks at one bucket only. sweep() looks at all clients, but once a jiffy
 * at most.
 */
static DEFINE_HASHTABLE(clients, 8);	/* the list, by process */
static unsigned long swept;	/* jiffies of the last sweep of the list */
static DEFINE_MUTEX(clients_lock);	/* guards these; no lock of a client is taken under it */

/*
 * Clients that have ended, and are off the list. Their values may take long to free, and all misc
 * devices wait for an open() of this one. So a work item frees them.
 */
static void end_gone(struct work_struct *work);
static struct {
	struct work_struct work;
	struct hlist_head clients;	/* guarded by clients_lock */
} gone = { .work = __WORK_INITIALIZER(gone.work, end_gone) };

/*
 * Returns the client, or NULL: not on the list.
 * Locks: clients_lock is held.
 */
static struct pprof_client *find(const struct pid *process, u64 exec_id)
{
	struct pprof_client *client;

	hash_for_each_possible(clients, client, node, (uintptr_t)process)
		if (client->process == process && client->exec_id == exec_id)
			return client;
	return NULL;
}

/*
 * Takes the client off the list. If it returns true, the caller must end the client and put the
 * list's reference.
 * Locks: clients_lock is held.
 */
static bool unlist(struct pprof_client *client)
{
	bool was_listed = client->listed;

	if (was_listed) {
		hash_del(&client->node);
		pprof_quota_uncharge_client(client->customs.quota);
	}
	client->listed = false;
	return was_listed;
}

static void end(struct pprof_client *client)
{
	struct pprof_thread_labels *thread_labels;

	mutex_lock(&client->lock);
	pprof_custom_clear(&client->customs);
	mutex_unlock(&client->lock);
	mutex_lock(&client->labels_lock);
	thread_labels = client->thread_labels;
	client->thread_labels = NULL;
	mutex_unlock(&client->labels_lock);
	if (thread_labels)
		pprof_thread_labels_free(thread_labels);
	pprof_client_put(client);
}

static void end_gone(struct work_struct *work)
{
	struct hlist_node *after;
	struct pprof_client *client;
	struct hlist_head mine;

	mutex_lock(&clients_lock);
	hlist_move_list(&container_of(work, typeof(gone), work)->clients, &mine);
	mutex_unlock(&clients_lock);
	hlist_for_each_entry_safe(client, after, &mine, node)
		end(client);
}

/*
 * Ends clients whose process has ended or called exec, and had not closed a file then. Another
 * process may share its files, or they were closed before. It looks at all clients, so it runs once
 * a jiffy at most.
 * Locks: clients_lock is held.
 */
static void sweep(void)
{
	struct hlist_node *after;
	struct pprof_client *client;
	int bucket;

	if (time_before_eq(jiffies, swept))
		return;
	swept = jiffies;
	hash_for_each_safe(clients, bucket, after, client, node)
		if (pprof_process_exec_id(client->process) != client->exec_id && unlist(client))
			hlist_add_head(&client->node, &gone.clients);
	if (!hlist_empty(&gone.clients))
		queue_work(system_dfl_wq, &gone.work);
}

/* Makes a client of current. It is not on the list. NULL: no memory. */
static struct pprof_client *new_client(void)
{
	struct pprof_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return NULL;
	client->customs.quota = pprof_quota_get();
	if (!client->customs.quota) {
		kfree(client);
		return NULL;
	}
	get_random_bytes(&client->customs.key, sizeof(client->customs.key));
	refcount_set(&client->refs, 1);
	client->process = get_pid(task_tgid(current));
	client->exec_id = pprof_exec_id(current);
	client->mm = current->mm;
	mutex_init(&client->lock);
	mutex_init(&client->labels_lock);
	return client;
}

/*
 * Returns the listed client of the same process and exec id, or else lists @new.
 * Locks: clients_lock is held.
 */
static struct pprof_client *find_or_list(struct pprof_client *new)
{
	struct pprof_client *client = find(new->process, new->exec_id);

	if (!client) {
		sweep();
		if (!pprof_quota_charge_client(new->customs.quota))
			return ERR_PTR(-EMFILE);
		new->listed = true;
		hash_add(clients, &new->node, (uintptr_t)new->process);
		client = new;
	}
	refcount_inc(&client->refs);
	return client;
}

/* Allocates outside the mutex, which every client takes when it ends. */
int pprof_client_get(struct pprof_client **client)
{
	struct pprof_client *new;

	if (!current->mm)
		return -ESRCH;
	new = new_client();
	if (!new)
		return -ENOMEM;
	mutex_lock(&clients_lock);
	*client = find_or_list(new);
	mutex_unlock(&clients_lock);
	if (*client != new)
		pprof_client_put(new);
	return PTR_ERR_OR_ZERO(*client);
}

struct pprof_client *pprof_client_find(struct pid *process, u64 exec_id)
{
	struct pprof_client *client;

	mutex_lock(&clients_lock);
	sweep();
	client = find(process, exec_id);
	if (client)
		refcount_inc(&client->refs);
	mutex_unlock(&clients_lock);
	return client;
}

/* At the last put the client has ended, or was never listed. */
void pprof_client_put(struct pprof_client *client)
{
	if (!refcount_dec_and_test(&client->refs))
		return;
	pprof_quota_put(client->customs.quota);
	put_pid(client->process);
	kfree(client);
}

int pprof_client_check(const struct pprof_client *client)
{
	return client->process == task_tgid(current) &&
	       client->exec_id == pprof_exec_id(current) ? 0 : -ESRCH;
}

/*
 * At its end and in an exec, a process first leaves its memory. Then the kernel closes its files.
 * In an exec the exec id changes only after that. So current still has the exec id of the client,
 * but not its mm. The new memory of an exec exists before the old is freed. So the addresses of the
 * two differ.
 *
 * A thread with a file table of its own may end before the other threads. Then the process goes on.
 *
 * No thread is in an ioctl of this client now. The process has no other threads, and those of other
 * processes fail in pprof_client_check().
 */
void pprof_client_flush(struct pprof_client *client)
{
	bool ends;

	if (pprof_client_check(client) || current->mm == client->mm)
		return;
	if (!current->mm && atomic_read(&current->signal->live))
		return;
	mutex_lock(&clients_lock);
	ends = unlist(client);
	mutex_unlock(&clients_lock);
	if (ends)
		end(client);
}

void pprof_client_exit(void)
{
	struct hlist_node *after;
	struct pprof_client *client;
	int bucket;

	flush_work(&gone.work);
	hash_for_each_safe(clients, bucket, after, client, node)
		if (unlist(client))
			end(client);
}

/* Returns an entry that the caller owns, or an ERR_PTR. */
static struct pprof_custom_entry *get_entry(struct pprof_quota *quota,
					    const struct pprof_custom *custom)
{
	struct pprof_custom_entry *entry = pprof_custom_alloc(quota, custom->nr_frames);

	if (IS_ERR(entry))
		return entry;
	entry->value.value = custom->value;
	entry->value.flags = custom->flags;
	if (!copy_from_user(entry->value.frames, u64_to_user_ptr(custom->frames),
			    custom->nr_frames * sizeof(*entry->value.frames)))
		return entry;
	pprof_custom_free(quota, entry);
	return ERR_PTR(-EFAULT);
}

static int add_locked(struct pprof_custom_profiles *customs, const __u8 *name,
		      struct pprof_custom_entry *entry)
{
	int profile = pprof_custom_find(customs, name);

	return profile < 0 ? profile : pprof_custom_add(customs, profile, entry);
}

static int add_value(struct pprof_client *client, const struct pprof_custom *custom)
{
	struct pprof_custom_profiles *customs = &client->customs;
	struct pprof_custom_entry *entry = get_entry(customs->quota, custom);
	int err;

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	err = mutex_lock_killable(&client->lock);
	if (!err) {
		err = add_locked(customs, custom->name, entry);
		mutex_unlock(&client->lock);
	}
	if (err)
		pprof_custom_free(customs->quota, entry);
	return err;
}

static int act_locked(struct pprof_client *client, struct pprof_custom *custom)
{
	struct pprof_custom_profiles *customs = &client->customs;
	int profile;

	if (custom->op == PPROF_CUSTOM_NEW)
		return pprof_custom_new(customs, custom->name);
	profile = pprof_custom_find(customs, custom->name);
	if (profile < 0)
		return profile;
	if (custom->op == PPROF_CUSTOM_REMOVE)
		pprof_custom_remove(customs, profile, custom->value);
	else
		custom->count = customs->profiles[profile].count;
	return 0;
}

static int check_custom(const struct pprof_custom *custom)
{
	bool adds = custom->op == PPROF_CUSTOM_ADD;

	if (custom->op >= PPROF_NR_CUSTOM_OPS || custom->nr_frames > PPROF_MAX_FRAMES ||
	    custom->flags & ~PPROF_CUSTOM_TRUNCATED)
		return -EINVAL;
	if (!adds && (custom->frames || custom->nr_frames || custom->flags))
		return -EINVAL;
	if (!adds && custom->op != PPROF_CUSTOM_REMOVE && custom->value)
		return -EINVAL;
	return pprof_custom_name_is_valid(custom->name) ? 0 : -EINVAL;
}

int pprof_client_custom(struct pprof_client *client, struct pprof_custom *custom)
{
	int err = check_custom(custom);

	if (!err)
		err = pprof_client_check(client);
	if (err)
		return err;
	if (custom->op == PPROF_CUSTOM_ADD)
		return add_value(client, custom);
	err = mutex_lock_killable(&client->lock);
	if (err)
		return err;
	err = act_locked(client, custom);
	mutex_unlock(&client->lock);
	return err;
}

/*
 * Makes the labels with the first call of the process.
 * Locks: labels_lock is held.
 */
static int begin_labels(struct pprof_client *client)
{
	if (client->thread_labels)
		return 0;
	return pprof_thread_labels_new(client->customs.quota, &client->thread_labels);
}

int pprof_client_label(struct pprof_client *client, struct pprof_label *label)
{
	int err = pprof_label_is_valid(label) ? pprof_client_check(client) : -EINVAL;

	if (err)
		return err;
	mutex_lock(&client->labels_lock);
	err = begin_labels(client);
	if (!err)
		err = pprof_thread_labels_add(client->thread_labels, label);
	mutex_unlock(&client->labels_lock);
	return err;
}

int pprof_client_label_slot(struct pprof_client *client, struct pprof_label_slot *out)
{
	int err = pprof_client_check(client);

	if (err)
		return err;
	mutex_lock(&client->labels_lock);
	err = begin_labels(client);
	if (!err)
		err = pprof_thread_labels_slot(client->thread_labels, out);
	mutex_unlock(&client->labels_lock);
	return err;
}

static int copy_names(struct pprof_client *client, struct pprof_custom_name *names, u32 *nr)
{
	const struct pprof_custom_profiles *customs = &client->customs;

	if (mutex_lock_killable(&client->lock))
		return -EINTR;
	*nr = customs->nr_profiles;
	for (u32 i = 0; i < *nr; i++) {
		names[i].count = customs->profiles[i].count;
		memcpy(names[i].name, customs->profiles[i].name, sizeof(names[i].name));
	}
	mutex_unlock(&client->lock);
	return 0;
}

int pprof_client_list(struct pprof_client *client, struct pprof_custom_list *list)
{
	struct pprof_custom_name *names = kcalloc(PPROF_MAX_CUSTOM_PROFILES, sizeof(*names),
						  GFP_KERNEL_ACCOUNT);
	int err;

	if (!names)
		return -ENOMEM;
	err = copy_names(client, names, &list->nr);
	if (!err && copy_to_user(u64_to_user_ptr(list->names), names,
				 min(list->nr, list->room) * sizeof(*names)))
		err = -EFAULT;
	kfree(names);
	return err;
}

static int copy_values(struct pprof_client *client, struct pprof_custom_read *read, void *data)
{
	int profile;

	if (mutex_lock_killable(&client->lock))
		return -EINTR;
	profile = pprof_custom_find(&client->customs, read->name);
	if (profile >= 0)
		read->bytes = pprof_custom_copy(&client->customs, profile, data, read->bytes,
						&read->next, &read->until);
	mutex_unlock(&client->lock);
	return profile < 0 ? profile : 0;
}

int pprof_client_read(struct pprof_client *client, struct pprof_custom_read *read)
{
	void *data;
	int err;

	read->bytes = min(read->bytes, MAX_READ_BYTES);
	data = kvmalloc(read->bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!data)
		return -ENOMEM;
	err = copy_values(client, read, data);
	if (!err && copy_to_user(u64_to_user_ptr(read->data), data, read->bytes))
		err = -EFAULT;
	kvfree(data);
	return err;
}
