// SPDX-License-Identifier: GPL-2.0
#include "base/user_quota.h"

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "uapi/pprof.h"

/*
 * A user may have many ids, as in a user namespace. Each id has a quota of its own. So there are
 * bounds on all users together, too. Memory cgroups are charged, too, but most users have no limit
 * there. The OOM killer does not see the memory that a process holds here.
 */
#define MAX_USER_BYTES		((s64)SZ_64M)
#define MAX_BYTES		((s64)SZ_512M)
#define MAX_USER_CLIENTS	1024
#define MAX_USER_THREADS	PPROF_MAX_USER_LABEL_THREADS
#define MAX_THREADS		(3 * MAX_USER_THREADS)

struct pprof_quota {
	struct list_head node;	/* guarded by quotas_lock, as nr_refs is */
	u32 nr_refs;
	kuid_t uid;
	bool privileged;	/* with CAP_PERFMON: does not count for the bounds on all users */
	atomic64_t bytes;
	atomic_t clients;
	atomic_t threads;
};

static LIST_HEAD(quotas);
static DEFINE_MUTEX(quotas_lock);	/* guards the list */
static atomic64_t all_bytes;
static atomic_t all_threads;

static struct pprof_quota *find(const struct pprof_quota *like)
{
	struct pprof_quota *quota;

	list_for_each_entry(quota, &quotas, node)
		if (uid_eq(quota->uid, like->uid) && quota->privileged == like->privileged)
			return quota;
	return NULL;
}

/* Allocates outside the mutex, which the clients of every user take. */
struct pprof_quota *pprof_quota_get(void)
{
	struct pprof_quota *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	struct pprof_quota *quota;

	if (!new)
		return NULL;
	new->uid = current_uid();
	new->privileged = perfmon_capable();
	mutex_lock(&quotas_lock);
	quota = find(new);
	if (!quota) {
		list_add(&new->node, &quotas);
		quota = new;
	}
	quota->nr_refs++;
	mutex_unlock(&quotas_lock);
	if (quota != new)
		kfree(new);
	return quota;
}

struct pprof_quota *pprof_quota_share(struct pprof_quota *quota)
{
	mutex_lock(&quotas_lock);
	quota->nr_refs++;
	mutex_unlock(&quotas_lock);
	return quota;
}

void pprof_quota_put(struct pprof_quota *quota)
{
	bool last;

	mutex_lock(&quotas_lock);
	last = !--quota->nr_refs;
	if (last)
		list_del(&quota->node);
	mutex_unlock(&quotas_lock);
	if (last)
		kfree(quota);
}

/*
 * Charges before the memory is allocated, so no race exceeds the bound. A process that lost
 * CAP_PERFMON after it got its quota has the bound of a user.
 */
bool pprof_quota_charge(struct pprof_quota *quota, size_t bytes)
{
	s64 all = quota->privileged ? 0 : atomic64_add_return(bytes, &all_bytes);

	if ((atomic64_add_return(bytes, &quota->bytes) <= MAX_USER_BYTES && all <= MAX_BYTES) ||
	    perfmon_capable())
		return true;
	pprof_quota_uncharge(quota, bytes);
	return false;
}

void pprof_quota_uncharge(struct pprof_quota *quota, size_t bytes)
{
	atomic64_sub(bytes, &quota->bytes);
	if (!quota->privileged)
		atomic64_sub(bytes, &all_bytes);
}

bool pprof_quota_charge_client(struct pprof_quota *quota)
{
	if (atomic_inc_return(&quota->clients) <= MAX_USER_CLIENTS || perfmon_capable())
		return true;
	pprof_quota_uncharge_client(quota);
	return false;
}

void pprof_quota_uncharge_client(struct pprof_quota *quota)
{
	atomic_dec(&quota->clients);
}

bool pprof_quota_charge_thread(struct pprof_quota *quota)
{
	int all = atomic_inc_return(&all_threads);

	if (atomic_inc_return(&quota->threads) <= MAX_USER_THREADS && all <= MAX_THREADS)
		return true;
	pprof_quota_uncharge_thread(quota);
	return false;
}

void pprof_quota_uncharge_thread(struct pprof_quota *quota)
{
	atomic_dec(&quota->threads);
	atomic_dec(&all_threads);
}
