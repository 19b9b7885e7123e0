/* SPDX-License-Identifier: GPL-2.0 */
/* A session, one open /dev/pprof: its targets, settings and rings, and its running sources. */
#ifndef PPROF_SESSION_H
#define PPROF_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "record/cgroup_moves.h"
#include "record/process_events.h"
#include "record/record.h"
#include "record/target.h"
#include "session/locked_memory.h"
#include "session/visits.h"

/* The order of its locks is in doc/design.md, "Locks of the module". */
struct pprof_session {
	struct list_head node;	/* guarded by the list's mutex */
	/* It is ending: no reader of the list sees it. Guarded by the list's mutex. */
	bool hidden;
	/* The fields from here to ns are constant. netlink reports the low 32 bits of the id. */
	u64 id;
	u32 owner_pid;		/* in the initial namespaces, as the uid is */
	u32 owner_uid;
	struct pprof_quota *quota;	/* of the owner, a reference */
	char owner_comm[TASK_COMM_LEN];
	struct pid_namespace *ns;

	struct mutex reads;	/* held while custom profiles are read */
	struct pprof_visits visits;	/* has a lock of its own */
	struct mutex lock;	/* guards all below, unless a comment says otherwise */
	bool set_up;		/* never cleared; once it is seen, the rings may be read */
	bool attached;		/* there was a target, or there is a cgroup */
	u32 flags;		/* PPROF_SETUP_*; constant after SETUP */
	u32 ring_bytes;		/* constant after SETUP */
	struct pprof_locked_memory locked_memory;	/* of the rings; constant after SETUP */
	u64 period_ns;		/* of source CPU; netlink reads it without the lock */
	u64 wall_period_ns;	/* of source WALL; netlink reads it without the lock */
	unsigned long running;	/* bit n: source n; netlink reads it without the lock */
	void *states[PPROF_NR_SOURCES];

	struct pprof_target target;	/* used without the lock after SETUP */
	struct pprof_session_tables
		session_tables;			/* has locks of its own; with PPROF_SETUP_TABLES */
	struct pprof_probe_list *probes;	/* of source HEAP; constant while it runs */
	/*
	 * Constant after SETUP, with three exceptions: the probes, the fields that ATTACH sets
	 * (its rights, and only_process), and the fields that sources change.
	 */
	struct pprof_sink sink;
	struct pprof_process_events process_events;
	struct pprof_cgroup_moves cgroup_moves;	/* with PPROF_SETUP_CGROUP */

	/* Closes a session whose last reference another process drops: see dev.c */
	struct work_struct orphan;
	struct rcu_head rcu;
};

/*
 * The functions here take the locks that they need, and sleep.
 *
 * pprof_session_new() makes a session of current.
 * Returns: 0, or -ENOMEM.
 */
int pprof_session_new(struct pprof_session **session);

/*
 * Stops all sources, and frees all but the session itself. No mapping and no caller is left. The
 * session is hidden in the list.
 */
void pprof_session_end(struct pprof_session *session);

/*
 * Frees a session that has ended, or that never began. It is in no list.
 * Sleeps.
 */
void pprof_session_free(struct pprof_session *session);

/*
 * Does PPROF_IOC_SETUP, once a session. After an error the session is as before.
 * Returns: 0, or an error.
 * - -EBUSY: the session is set up.
 * - -EINTR: the caller is being killed.
 * - -EINVAL, -EPERM, -ENOMEM, or an error of the kernel's hooks.
 */
int pprof_session_setup(struct pprof_session *session, const struct pprof_setup *setup);

/* Is the session for PPROF_IOC_THREADS alone? Constant after SETUP. */
static inline bool pprof_session_is_snapshot(const struct pprof_session *session)
{
	return session->flags & PPROF_SETUP_SNAPSHOT;
}

/* Does PPROF_IOC_HEAP. Returns: 0, or the errors in uapi/pprof.h. */
int pprof_session_heap(struct pprof_session *session, const struct pprof_heap *heap);

/* Returns bit n for each source n of the module. */
u64 pprof_session_sources(void);

/* Does PPROF_IOC_START. Returns: 0, or the errors in uapi/pprof.h. */
int pprof_session_start(struct pprof_session *session, const struct pprof_start *start);

/*
 * Does PPROF_IOC_STOP.
 * Returns: 0, or an error.
 * - -EINVAL: the source does not run.
 * - -EAGAIN, -ENOMEM, -EINTR: only of a source that samples threads at its end.
 */
int pprof_session_stop(struct pprof_session *session, const struct pprof_stop *stop);

/*
 * Does PPROF_IOC_THREADS.
 * Returns: 0, or an error.
 * - -EINVAL: before SETUP.
 * - -ENOMEM, -EAGAIN.
 * - -EINTR: the caller is being killed.
 */
int pprof_session_threads(struct pprof_session *session, struct pprof_threads *threads);

/*
 * Map a ring, and poll the rings: see uapi/pprof.h. pprof_session_mmap() must not take
 * session->lock. Its caller holds the mmap lock, and SETUP holds session->lock around kprobes.
 */
int pprof_session_mmap(struct pprof_session *session, struct vm_area_struct *vma);
__poll_t pprof_session_poll(struct pprof_session *session, struct file *file, poll_table *table);

#endif
