// SPDX-License-Identifier: GPL-2.0
#include "client/client.h"

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pid.h>
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

#define MAX_READ_BYTES		((u32)SZ_256K)	/* a session allocates so much */

/*
 * A client is a process and the image that it executes. The process is told by its
 * struct pid, which is nobody else's as long as it is held: an image alone is a
 * number that others may come to have, too.
 */
struct pprof_client {
	struct hlist_node node;	/* guarded by the list's mutex, as listed */
	bool listed;		/* it has not ended, as far as is known */
	refcount_t refs;	/* of the list, of each file, and of who reads it now */
	struct pid *process;	/* of the thread group: constant */
	u64 image;		/* see struct pprof_event: constant */
	const void *mm;		/* of the image: see pprof_client_flush() */
	/*
	 * Guards customs; no user memory is touched under it. The process's threads may keep
	 * others waiting all the same, being many: so these can be killed.
	 */
	struct mutex lock;
	struct pprof_customs customs;
	/*
	 * Guards labelled. It is held while the process's memory is mapped, which the
	 * process can delay as long as it likes: who reads customs must not wait for it.
	 */
	struct mutex labels_lock;
	struct pprof_labelled *labelled;	/* NULL: its threads have no labels yet */
};

/*
 * Who ends or executes a program waits for the mutex, while others may try to open files
 * all the time: what is done under it for each of these does not grow with what there is.
 */
static DEFINE_HASHTABLE(clients, 8);	/* the list, by processes */
static unsigned long swept;	/* jiffies as the list was */
static DEFINE_MUTEX(clients_lock);	/* guards these; no client's is taken under it */

/*
 * Those that have ended, on no list any more. A million values take long to free, and all
 * misc devices wait for who opens this one, so that a work item does it.
 */
static void end_gone(struct work_struct *work);
static struct {
	struct work_struct work;
	struct hlist_head clients;	/* guarded by the list's mutex */
} gone = { .work = __WORK_INITIALIZER(gone.work, end_gone) };

/* The client, if it is on the list, whose mutex is held. */
static struct pprof_client *find(const struct pid *process, u64 image)
{
	struct pprof_client *client;

	hash_for_each_possible(clients, client, node, (uintptr_t)process)
		if (client->process == process && client->image == image)
			return client;
	return NULL;
}

/* Whoever gets true has to end it, and its list's reference. The list's mutex is held. */
static bool unlist(struct pprof_client *client)
{
	bool was_listed = client->listed;

	if (was_listed) {
		hash_del(&client->node);
		pprof_quota_give_client(client->customs.quota);
	}
	client->listed = false;
	return was_listed;
}

static void end(struct pprof_client *client)
{
	struct pprof_labelled *labelled;

	mutex_lock(&client->lock);
	pprof_custom_clear(&client->customs);
	mutex_unlock(&client->lock);
	mutex_lock(&client->labels_lock);
	labelled = client->labelled;
	client->labelled = NULL;
	mutex_unlock(&client->labels_lock);
	if (labelled)
		pprof_labelled_end(labelled);
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
 * Ends those whose process has ended, or executes something else, without closing a
 * file: another process shares its files, or they were closed before. Once a jiffy, as it
 * looks at all of them. The list's mutex is held.
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
		if (pprof_process_exec_id(client->process) != client->image &&
		    unlist(client))
			hlist_add_head(&client->node, &gone.clients);
	if (!hlist_empty(&gone.clients))
		queue_work(system_dfl_wq, &gone.work);
}

/* What current is, on no list. NULL: there is no memory. */
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
	refcount_set(&client->refs, 1);
	client->process = get_pid(task_tgid(current));
	client->image = pprof_exec_id(current);
	client->mm = current->mm;
	mutex_init(&client->lock);
	mutex_init(&client->labels_lock);
	return client;
}

/* The one that is as @new; else @new itself, listed. The list's mutex is held. */
static struct pprof_client *find_or_list(struct pprof_client *new)
{
	struct pprof_client *client = find(new->process, new->image);

	if (!client) {
		sweep();
		if (!pprof_quota_take_client(new->customs.quota))
			return ERR_PTR(-EMFILE);
		new->listed = true;
		hash_add(clients, &new->node, (uintptr_t)new->process);
		client = new;
	}
	refcount_inc(&client->refs);
	return client;
}

/* Memory is allocated without the mutex, which every process takes that ends. */
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

struct pprof_client *pprof_client_find(struct pid *process, u64 image)
{
	struct pprof_client *client;

	mutex_lock(&clients_lock);
	sweep();
	client = find(process, image);
	if (client)
		refcount_inc(&client->refs);
	mutex_unlock(&clients_lock);
	return client;
}

/* With the last one it has ended long ago: the list had one. */
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
	       client->image == pprof_exec_id(current) ? 0 : -ESRCH;
}

/*
 * Files are closed when the process has left its memory: at its end, and in an exec,
 * before that gives it another image. Until then only it has had that image, and the
 * new memory was there before the old went: to compare the addresses is enough. A
 * thread with files of its own may end before the others. Others cannot be in an
 * ioctl now: threads of the process there are none, and of other processes none gets
 * past pprof_client_check().
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

/* An entry that is the caller's, or a negative errno. */
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

static int add_locked(struct pprof_customs *customs, const __u8 *name,
		      struct pprof_custom_entry *entry)
{
	int profile = pprof_custom_find(customs, name);

	return profile < 0 ? profile : pprof_custom_add(customs, profile, entry);
}

static int add_value(struct pprof_client *client, const struct pprof_custom *custom)
{
	struct pprof_customs *customs = &client->customs;
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
	struct pprof_customs *customs = &client->customs;
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
	    custom->flags & ~PPROF_CUSTOM_CUT)
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

/* The first labels of the process come; their mutex is held. */
static int begin_labels(struct pprof_client *client)
{
	if (client->labelled)
		return 0;
	return pprof_labelled_new(client->customs.quota, &client->labelled);
}

int pprof_client_label(struct pprof_client *client, struct pprof_label *label)
{
	int err = pprof_label_is_valid(label) ? pprof_client_check(client) : -EINVAL;

	if (err)
		return err;
	mutex_lock(&client->labels_lock);
	err = begin_labels(client);
	if (!err)
		err = pprof_labelled_add(client->labelled, label);
	mutex_unlock(&client->labels_lock);
	return err;
}

int pprof_client_label_word(struct pprof_client *client, struct pprof_label_word *word)
{
	int err = pprof_client_check(client);

	if (err)
		return err;
	mutex_lock(&client->labels_lock);
	err = begin_labels(client);
	if (!err)
		err = pprof_labelled_word(client->labelled, word);
	mutex_unlock(&client->labels_lock);
	return err;
}

static int copy_names(struct pprof_client *client, struct pprof_custom_name *names, u32 *nr)
{
	const struct pprof_customs *customs = &client->customs;

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
