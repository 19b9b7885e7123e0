/* SPDX-License-Identifier: GPL-2.0 */
/* All sessions that are open. */
#ifndef PPROF_SESSIONS_H
#define PPROF_SESSIONS_H

#include "session.h"

/*
 * Gives @session its id and a place among all. -EMFILE: there are too many, or too many
 * of its owner's. May sleep, as what follows.
 */
int pprof_sessions_add(struct pprof_session *session);
void pprof_sessions_remove(struct pprof_session *session);

/* Around pprof_sessions_next() and the use of what it gives. */
void pprof_sessions_lock(void);
void pprof_sessions_unlock(void);

/* The session with the lowest id above @id, NULL if there is none. Ids begin at 1. */
struct pprof_session *pprof_sessions_next(u64 id);

#endif
