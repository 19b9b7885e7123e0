/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bounds on all processes of a user together: kernel memory, clients, slots for threads with
 * labels, which all users share, and calls that interrupt all CPUs.
 *
 * All processes in a user namespace count for the user who made it. A namespace inside counts for
 * the one outside. Else a user with subordinate ids (subuid(5)) would have a quota for each.
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

/* Did the process have CAP_PERFMON that got @quota? Context: any. */
bool pprof_quota_is_privileged(const struct pprof_quota *quota);

/* Frees the quotas that outlived their last reference: see pprof_quota_take_turn(). */
void pprof_quota_exit(void);

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

/* The same for a client: the bound is on their number. */
bool pprof_quota_charge_client(struct pprof_quota *quota);
void pprof_quota_uncharge_client(struct pprof_quota *quota);

/*
 * The same for a thread with labels. All users share the slots. CAP_PERFMON is not checked here, as
 * the hook of a new thread cannot check it. The caller does not charge a process that had it.
 * Returns: false if the user or all users would have too many.
 * Context: any.
 */
bool pprof_quota_charge_thread(struct pprof_quota *quota);
void pprof_quota_uncharge_thread(struct pprof_quota *quota);

/*
 * Adds pages of rings, and returns how many the user has now.
 * Context: any.
 */
u64 pprof_quota_add_pages(struct pprof_quota *quota, u64 pages);
void pprof_quota_sub_pages(struct pprof_quota *quota, u64 pages);

/*
 * Waits until the user may make one more call that interrupts all CPUs. Such calls come in a burst,
 * and then at a fixed rate. The calls of a user wait one after the other. With CAP_PERFMON a call
 * never waits.
 * Returns: 0, or -EINTR: the caller is being killed.
 * Sleeps.
 */
int pprof_quota_take_turn(struct pprof_quota *quota);

#endif
