/* SPDX-License-Identifier: GPL-2.0 */
/* Processes become targets of a session, after a check of the caller's rights. */
#ifndef PPROF_ATTACH_H
#define PPROF_ATTACH_H

#include "session/session.h"

/* The functions here take the locks that they need, and sleep. */

/*
 * Returns the process of thread @pid, with a reference, or NULL. @pid is a number of the opener's
 * pid namespace. The caller calls put_pid().
 */
struct pid *pprof_session_find_process(struct pprof_session *session, pid_t pid);

/*
 * Do PPROF_IOC_ATTACH and PPROF_IOC_EXEC_ID, and fill in pid and exec id.
 * Returns: 0, or the errors in uapi/pprof.h.
 */
int pprof_session_attach(struct pprof_session *session, struct pprof_attach *attach);
int pprof_session_exec_id(struct pprof_session *session, struct pprof_attach *attach);

/*
 * The same as pprof_session_exec_id(). *process is the process that was checked, with a reference.
 * The caller calls put_pid().
 */
int pprof_session_look(struct pprof_session *session, struct pprof_attach *attach,
		       struct pid **process);

#endif
