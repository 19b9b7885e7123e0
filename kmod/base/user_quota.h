/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bounds on all processes of a user together: kernel memory, and places in tables that all
 * users share.
 */
#ifndef PPROF_USER_QUOTA_H
#define PPROF_USER_QUOTA_H

#include <linux/types.h>

struct pprof_quota;

/*
 * Returns the quota of current's user, with a reference, or NULL: no memory. All processes of the
 * user share it. Those with CAP_PERFMON share another one. It exists until its last reference is
 * put.
 * Locks: takes quotas_lock.
 * Sleeps, as pprof_quota_put() does.
 */
struct pprof_quota *pprof_quota_get(void);
void pprof_quota_put(struct pprof_quota *quota);

/*
 * Takes one more reference to @quota. Returns: @quota.
 * Locks: takes quotas_lock.
 * Sleeps.
 */
struct pprof_quota *pprof_quota_share(struct pprof_quota *quota);

/*
 * Charges @bytes of memory. The function that frees the memory calls pprof_quota_uncharge().
 * Returns: false if the user or all users would hold too much, and current has no CAP_PERFMON.
 * Context: process context.
 */
bool pprof_quota_charge(struct pprof_quota *quota, size_t bytes);
void pprof_quota_uncharge(struct pprof_quota *quota, size_t bytes);

/* The same for clients. The clients of a user have one quota. */
bool pprof_quota_charge_client(struct pprof_quota *quota);
void pprof_quota_uncharge_client(struct pprof_quota *quota);

/*
 * The same for threads with labels. All users share their places. CAP_PERFMON is not checked here,
 * as the hook of a new thread cannot check it. The caller does not charge a process that had it.
 * Context: any.
 */
bool pprof_quota_charge_thread(struct pprof_quota *quota);
void pprof_quota_uncharge_thread(struct pprof_quota *quota);

#endif
