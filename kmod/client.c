// SPDX-License-Identifier: GPL-2.0
#include "client.h"

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "custom.h"
#include "record.h"

#define MAX_READ_BYTES	((u32)SZ_1M)

/* In this order: the table's mutex, a client's. */
struct pprof_client {
	struct hlist_node node;	/* guarded by the table's mutex */
	u32 nr_files;		/* likewise; with the last one it leaves the table */
	refcount_t refs;	/* of the files, one for all, and of who reads it now */
	u64 image;		/* of the process, as struct pprof_event has it: constant */
	struct mm_struct *mm;	/* its struct alone is held; never looked into */
	struct mutex lock;	/* guards what follows; no user memory is touched under it */
	bool ended;		/* its process has: nothing is added any more */
	struct pprof_customs customs;
};

static DEFINE_HASHTABLE(clients, 8);	/* by image */
static DEFINE_MUTEX(clients_lock);	/* guards the table */

/* The table's mutex is held. */
static struct pprof_client *find(u64 image)
{
	struct pprof_client *client;

	hash_for_each_possible(clients, client, node, image)
		if (client->image == image)
			return client;
	return NULL;
}

static struct pprof_client *find_get(u64 image)
{
	struct pprof_client *client;

	mutex_lock(&clients_lock);
	client = find(image);
	if (client)
		refcount_inc(&client->refs);
	mutex_unlock(&clients_lock);
	return client;
}

static int add(u64 image, struct pprof_client **client_out)
{
	struct pprof_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return -ENOMEM;
	client->image = image;
	client->nr_files = 1;
	refcount_set(&client->refs, 1);
	client->mm = current->mm;
	mmgrab(client->mm);
	mutex_init(&client->lock);
	hash_add(clients, &client->node, image);
	*client_out = client;
	return 0;
}

int pprof_client_get(struct pprof_client **client)
{
	u64 image = pprof_record_image(current);
	int err = 0;

	if (!current->mm)
		return -ESRCH;
	mutex_lock(&clients_lock);
	*client = find(image);
	if (*client)
		(*client)->nr_files++;
	else
		err = add(image, client);
	mutex_unlock(&clients_lock);
	return err;
}

static void drop(struct pprof_client *client)
{
	if (!refcount_dec_and_test(&client->refs))
		return;
	mmdrop(client->mm);
	kfree(client);
}

static void end(struct pprof_client *client)
{
	mutex_lock(&client->lock);
	client->ended = true;
	pprof_custom_clear(&client->customs);
	mutex_unlock(&client->lock);
}

void pprof_client_put(struct pprof_client *client)
{
	bool last;

	mutex_lock(&clients_lock);
	last = !--client->nr_files;
	if (last)
		hash_del(&client->node);
	mutex_unlock(&clients_lock);
	if (!last)
		return;
	end(client);
	drop(client);
}

/*
 * A child may have the file, too, and keep it open. But when the process ends or
 * executes another program it closes its own: after it has left its memory, and
 * before an exec gives it another image. A thread with files of its own may end
 * before the others.
 */
void pprof_client_flush(struct pprof_client *client)
{
	if (pprof_record_image(current) != client->image || current->mm == client->mm)
		return;
	if (!current->mm && atomic_read(&current->signal->live))
		return;
	end(client);
}

int pprof_client_image(const struct pprof_client *client, u64 *image)
{
	*image = pprof_record_image(current);
	return *image == client->image && current->mm == client->mm ? 0 : -ESRCH;
}

/* An entry that is the caller's, or a negative errno. */
static struct pprof_custom_entry *get_entry(const struct pprof_custom *custom)
{
	struct pprof_custom_entry *entry = pprof_custom_alloc(custom->nr_frames);

	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->value.value = custom->value;
	entry->value.flags = custom->flags;
	if (!copy_from_user(entry->value.frames, u64_to_user_ptr(custom->frames),
			    custom->nr_frames * sizeof(*entry->value.frames)))
		return entry;
	pprof_custom_free(entry);
	return ERR_PTR(-EFAULT);
}

static int add_locked(struct pprof_client *client, const struct pprof_custom *custom,
		      struct pprof_custom_entry *entry)
{
	int profile = pprof_custom_find(&client->customs, custom->name);

	return profile < 0 ? profile : pprof_custom_add(&client->customs, profile, entry);
}

static int add_value(struct pprof_client *client, const struct pprof_custom *custom)
{
	struct pprof_custom_entry *entry = get_entry(custom);
	int err = -ESRCH;

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	mutex_lock(&client->lock);
	if (!client->ended)
		err = add_locked(client, custom, entry);
	mutex_unlock(&client->lock);
	if (err)
		pprof_custom_free(entry);
	return err;
}

static int act_locked(struct pprof_client *client, struct pprof_custom *custom)
{
	struct pprof_customs *customs = &client->customs;
	int profile;

	if (client->ended)
		return -ESRCH;
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
	u64 image;

	if (!err)
		err = pprof_client_image(client, &image);
	if (err)
		return err;
	if (custom->op == PPROF_CUSTOM_ADD)
		return add_value(client, custom);
	mutex_lock(&client->lock);
	err = act_locked(client, custom);
	mutex_unlock(&client->lock);
	return err;
}

/* A copy of the names: the caller frees it. NULL: there is no memory. */
static struct pprof_custom_name *copy_names(struct pprof_client *client, u32 *nr)
{
	struct pprof_custom_name *names = kcalloc(PPROF_MAX_CUSTOM_PROFILES, sizeof(*names),
						  GFP_KERNEL_ACCOUNT);

	if (!names)
		return NULL;
	mutex_lock(&client->lock);
	*nr = client->customs.nr_profiles;
	for (u32 i = 0; i < *nr; i++) {
		names[i].count = client->customs.profiles[i].count;
		memcpy(names[i].name, client->customs.profiles[i].name, sizeof(names[i].name));
	}
	mutex_unlock(&client->lock);
	return names;
}

int pprof_client_list(u64 image, struct pprof_custom_list *list)
{
	struct pprof_client *client = find_get(image);
	struct pprof_custom_name *names;
	size_t bytes;
	int err = 0;

	list->nr = 0;
	if (!client)
		return 0;
	names = copy_names(client, &list->nr);
	drop(client);
	if (!names)
		return -ENOMEM;
	bytes = min(list->nr, list->room) * sizeof(*names);
	if (copy_to_user(u64_to_user_ptr(list->names), names, bytes))
		err = -EFAULT;
	kfree(names);
	return err;
}

static int copy_values(struct pprof_client *client, struct pprof_custom_read *read, void *data)
{
	int profile;

	mutex_lock(&client->lock);
	profile = pprof_custom_find(&client->customs, read->name);
	if (profile >= 0)
		read->bytes = pprof_custom_copy(&client->customs, profile, data, read->bytes,
						&read->next, &read->until);
	mutex_unlock(&client->lock);
	return profile < 0 ? profile : 0;
}

static int read_client(struct pprof_client *client, struct pprof_custom_read *read)
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

int pprof_client_read(struct pprof_custom_read *read)
{
	struct pprof_client *client;
	int err;

	if (read->bytes < PPROF_MIN_CUSTOM_BYTES || !pprof_custom_name_is_valid(read->name))
		return -EINVAL;
	client = find_get(read->image);
	if (!client)
		return -ENOENT;
	err = read_client(client, read);
	drop(client);
	return err;
}
