/* SPDX-License-Identifier: GPL-2.0 */
/* The list of all open sessions. */
#ifndef PPROF_SESSION_LIST_H
#define PPROF_SESSION_LIST_H

#include "session/session.h"

/*
 * A running session may cost a call at every context switch. It also has memory that cannot be
 * swapped. So there is a bound on all sessions. Without CAP_PERFMON it is lower, and there is one
 * on the sessions of a user.
 */
#define PPROF_MAX_SESSIONS		64
#define PPROF_MAX_UNPRIVILEGED_SESSIONS	48
#define PPROF_MAX_USER_SESSIONS		4

/* The state of the list. Only session_list.c uses it, and its unit test. */
struct pprof_sessions {
	struct mutex lock;	/* guards the fields below */
	struct list_head sessions;	/* by rising id */
	u32 nr;
	u64 last_id;	/* with 32 bits it would wrap around within hours, by opens alone */
};

extern struct pprof_sessions pprof_sessions;

/*
 * Adds @session, and sets its id.
 * Locks: takes the list's mutex, as the two functions below.
 * Returns: 0, or -EMFILE: too many sessions, or too many of its owner.
 * Sleeps.
 */
int pprof_sessions_add(struct pprof_session *session);

/*
 * Hide @session from readers of the list, and remove it. pprof_session_end() comes between the two.
 * If a session stopped counting before its end, a user could open and close sessions faster than
 * they end. The user would then have more of them than the bound.
 */
void pprof_sessions_hide(struct pprof_session *session);
void pprof_sessions_remove(struct pprof_session *session);

/*
 * The caller holds this lock around the two functions below, and while it uses their results.
 * Sleeps.
 */
void pprof_sessions_lock(void);
void pprof_sessions_unlock(void);

/*
 * Returns the session with the lowest id above @id, or NULL. Ids begin at 1. Hidden sessions are
 * skipped.
 */
struct pprof_session *pprof_sessions_next(u64 id);

/*
 * Returns the cost of the tables of all sessions of a user, those with @quota. Hidden ones count.
 * See pprof_session_tables_cost().
 */
u64 pprof_sessions_cost(const struct pprof_quota *quota);

#endif
