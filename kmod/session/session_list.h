/* SPDX-License-Identifier: GPL-2.0 */
/* All sessions that are open. */
#ifndef PPROF_SESSIONS_H
#define PPROF_SESSIONS_H

#include "session/session.h"

/*
 * Gives @session its id and a place among all. -EMFILE: there are too many, or too many
 * of its owner's. May sleep, as what follows.
 */
int pprof_sessions_add(struct pprof_session *session);

/*
 * In this order, and pprof_session_end() between them: nobody looks into @session any
 * more; its place is another's. Who gave that back first could open and close sessions
 * faster than they end, and have more of them than there may be.
 */
void pprof_sessions_hide(struct pprof_session *session);
void pprof_sessions_remove(struct pprof_session *session);

/* Around the two below, and the use of what they give. */
void pprof_sessions_lock(void);
void pprof_sessions_unlock(void);

/* The session with the lowest id above @id, NULL if there is none. Ids begin at 1. */
struct pprof_session *pprof_sessions_next(u64 id);

/* What the tables of all sessions of a user cost (see pprof_spaces_cost()), hidden ones' too. */
u64 pprof_sessions_cost(u32 uid);

#endif
