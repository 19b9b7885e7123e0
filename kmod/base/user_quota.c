// SPDX-License-Identifier: GPL-2.0
#include "base/user_quota.h"

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include "base/cooldown.h"
#include "base/perfmon.h"
#include "uapi/pprof.h"

/*
 * Several users may act together. So there are bounds on all users together, too. Memory cgroups
 * are charged, too, but most users have no limit there. The OOM killer does not see the memory that
 * a process holds here.
 */
#define MAX_USER_BYTES		((s64)SZ_64M)
#define MAX_BYTES		((s64)SZ_512M)
#define MAX_USER_CLIENTS	1024
#define MAX_USER_THREADS	PPROF_MAX_USER_LABEL_THREADS
#define MAX_THREADS		(3 * MAX_USER_THREADS)

/*
 * A call interrupts each CPU 4 times at most, while the hooks are kept (session/kept_hooks.h). So a
 * user causes 12 interrupts of a CPU a second. A usual profile of all types takes 8 turns.
 */
#define TURN_NS		((u64)NSEC_PER_SEC / 3)
#define BURST_NS	(12 * TURN_NS)

struct pprof_quota {
	struct list_head node;	/* guarded by quotas_lock, as nr_refs is */
	u32 nr_refs;
	kuid_t owner;
	bool privileged;	/* with CAP_PERFMON: does not count for the bounds on all users */
	atomic64_t bytes;
	atomic_t clients;
	atomic_t threads;
	atomic64_t pages;	/* of rings */
	struct mutex turns;	/* guards the field below; held while a call waits for its turn */
	u64 paid_ns;		/* ktime until which the calls so far use up the rate */
};

static LIST_HEAD(quotas);
static DEFINE_MUTEX(quotas_lock);	/* guards the list */
static atomic64_t all_bytes;
static atomic_t all_threads;

static struct pprof_quota *find(const struct pprof_quota *like)
{
	struct pprof_quota *quota;

	list_for_each_entry(quota, &quotas, node)
		if (uid_eq(quota->owner, like->owner) && quota->privileged == like->privileged)
			return quota;
	return NULL;
}

static kuid_t current_owner(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t owner = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		owner = ns->owner;
	return owner;
}

static bool is_paid(const struct pprof_quota *quota)
{
	return READ_ONCE(quota->paid_ns) <= ktime_get_ns();
}

/*
 * A quota without references stays until its calls are paid. Else a user could close all files, and
 * begin anew. The next put of any quota frees it.
 * Locks: the caller holds quotas_lock.
 */
static void free_unused(bool all)
{
	struct pprof_quota *quota, *next;

	list_for_each_entry_safe(quota, next, &quotas, node) {
		if (quota->nr_refs || !(all || is_paid(quota)))
			continue;
		list_del(&quota->node);
		kfree(quota);
	}
}

bool pprof_quota_is_privileged(const struct pprof_quota *quota)
{
	return quota->privileged;
}

void pprof_quota_exit(void)
{
	mutex_lock(&quotas_lock);
	free_unused(true);
	mutex_unlock(&quotas_lock);
}

/* Allocates outside the mutex, which the clients of every user take. */
struct pprof_quota *pprof_quota_get(void)
{
	struct pprof_quota *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	struct pprof_quota *quota;

	if (!new)
		return NULL;
	new->owner = current_owner();
	new->privileged = pprof_perfmon_noaudit();
	mutex_init(&new->turns);
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
	mutex_lock(&quotas_lock);
	quota->nr_refs--;
	free_unused(false);
	mutex_unlock(&quotas_lock);
}

/*
 * Charges before the memory is allocated, so no race exceeds the bound. A process that lost
 * CAP_PERFMON after it got its quota has the bound of a user.
 */
bool pprof_quota_charge(struct pprof_quota *quota, size_t bytes)
{
	s64 all = quota->privileged ? 0 : atomic64_add_return(bytes, &all_bytes);

	if ((atomic64_add_return(bytes, &quota->bytes) <= MAX_USER_BYTES && all <= MAX_BYTES) ||
	    pprof_perfmon_noaudit())
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
	if (atomic_inc_return(&quota->clients) <= MAX_USER_CLIENTS || pprof_perfmon_noaudit())
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

u64 pprof_quota_add_pages(struct pprof_quota *quota, u64 pages)
{
	return atomic64_add_return(pages, &quota->pages);
}

void pprof_quota_sub_pages(struct pprof_quota *quota, u64 pages)
{
	atomic64_sub(pages, &quota->pages);
}

/* A caller that is killed while it waits is not charged. So it leaves no wait to others. */
static int take_turn(struct pprof_quota *quota)
{
	u64 paid_ns = max(quota->paid_ns, ktime_get_ns()) + TURN_NS;

	pprof_cooldown_killable(paid_ns > BURST_NS ? paid_ns - BURST_NS : 0);
	if (fatal_signal_pending(current))
		return -EINTR;
	WRITE_ONCE(quota->paid_ns, paid_ns);	/* is_paid() reads it without the mutex */
	return 0;
}

int pprof_quota_take_turn(struct pprof_quota *quota)
{
	int err;

	if (pprof_perfmon_noaudit())
		return 0;
	if (mutex_lock_killable(&quota->turns))
		return -EINTR;
	err = take_turn(quota);
	mutex_unlock(&quota->turns);
	return err;
}
