/* SPDX-License-Identifier: GPL-2.0 */
/* What a user's processes may hold together of the kernel's memory, and of what all share. */
#ifndef PPROF_QUOTA_H
#define PPROF_QUOTA_H

#include <linux/types.h>

struct pprof_quota;

/*
 * That of current's user: one for all his processes, but for those with CAP_PERFMON,
 * which have another one; until the last reference is put. Both may sleep. NULL: there
 * is no memory.
 */
struct pprof_quota *pprof_quota_get(void);
void pprof_quota_put(struct pprof_quota *quota);

/* One more reference to @quota, which it returns. May sleep. */
struct pprof_quota *pprof_quota_share(struct pprof_quota *quota);

/*
 * False: the user, or all of them, would hold too much, and current has no
 * CAP_PERFMON. What was taken is given back by whoever frees it. Process context.
 */
bool pprof_quota_take(struct pprof_quota *quota, size_t bytes);
void pprof_quota_give(struct pprof_quota *quota, size_t bytes);

/* The same of clients; all of a user's have one quota. */
bool pprof_quota_take_client(struct pprof_quota *quota);
void pprof_quota_give_client(struct pprof_quota *quota);

/*
 * The same of threads with labels, whose places all users share. CAP_PERFMON is not
 * asked for, since a thread that is made cannot: who had it takes none. Any context.
 */
bool pprof_quota_take_thread(struct pprof_quota *quota);
void pprof_quota_give_thread(struct pprof_quota *quota);

#endif
