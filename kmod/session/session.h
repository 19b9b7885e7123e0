/* SPDX-License-Identifier: GPL-2.0 */
/* One open /dev/pprof: its target, settings, rings, and what is running. */
#ifndef PPROF_SESSION_H
#define PPROF_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "record/process_events.h"
#include "record/record.h"
#include "record/target.h"

/*
 * In this order: the list's mutex (pprof_sessions_lock), a session's; visits before that.
 * Under reads a client's is taken, user memory touched, and the caller's /proc opened.
 */
struct pprof_session {
	struct list_head node;	/* guarded by the list's mutex, as the next */
	bool hidden;		/* it ends */
	u64 id;			/* this one to ns: constant */
	u32 owner_pid;		/* in the initial namespaces */
	u32 owner_uid;
	char owner_comm[TASK_COMM_LEN];
	struct pid_namespace *ns;

	struct mutex reads;	/* held while a process's values are read */
	struct mutex visits;	/* held while threads are looked at; guards the next */
	u64 rested_ns;		/* when they may be looked at again; ktime. 0: at any time */
	struct mutex lock;	/* guards all below but what is said otherwise */
	bool set_up;		/* never falls; rings may be read once seen */
	bool attached;		/* there was a target */
	u32 flags;		/* PPROF_SETUP_*; constant after set-up */
	u32 ring_bytes;		/* constant after set-up */
	u64 period_ns;		/* of the source cpu; status reads it without the lock, */
	u64 wall_period_ns;	/* and that of wall, */
	unsigned long running;	/* and this: bit n: source n */
	unsigned long stopped;	/* jiffies as one was, or the session was opened */
	void *states[PPROF_NR_SOURCES];

	struct pprof_target target;	/* lockless after set-up */
	struct pprof_spaces spaces;	/* has locks of its own; PPROF_SETUP_TABLES */
	struct pprof_probes *probes;	/* of the source heap; constant while it runs */
	struct pprof_sink sink;		/* constant after set-up, but for the probes */
	struct pprof_life life;

	struct work_struct orphan;	/* see dev.c */
	struct rcu_head rcu;
};

/*
 * All functions here may sleep and take the locks that they need.
 *
 * A session for current. -ENOMEM.
 */
int pprof_session_new(struct pprof_session **session);

/*
 * Stops and frees everything but the session itself. No mapping and no caller is left, and
 * nobody looks into it from the list.
 */
void pprof_session_end(struct pprof_session *session);

/* Frees one that has ended, or never began; it is in no list. Any context. */
void pprof_session_free(struct pprof_session *session);

/* The process of thread @pid, as the session's owner numbers it, or NULL; the caller puts it. */
struct pid *pprof_session_find_process(struct pprof_session *session, pid_t pid);

/* Once a session, else -EBUSY. -EINVAL, -EPERM, -ENOMEM: as if never called. */
int pprof_session_setup(struct pprof_session *session, const struct pprof_setup *setup);

/* See PPROF_IOC_ATTACH and PPROF_IOC_IMAGE; fill in pid and image. */
int pprof_session_attach(struct pprof_session *session, struct pprof_attach *attach);
int pprof_session_image(struct pprof_session *session, struct pprof_attach *attach);

/* As pprof_session_image(), and gives the process that was looked at; the caller puts it. */
int pprof_session_look(struct pprof_session *session, struct pprof_attach *attach,
		       struct pid **process);

/* See PPROF_IOC_HEAP. */
int pprof_session_heap(struct pprof_session *session, const struct pprof_heap *heap);

/* Bit n: there is a source n. */
u64 pprof_session_sources(void);

/* See PPROF_IOC_START. */
int pprof_session_start(struct pprof_session *session, const struct pprof_start *start);
/* -EINVAL for what does not run; of a source that looks at threads then see the next. */
int pprof_session_stop(struct pprof_session *session, const struct pprof_stop *stop);

/* See PPROF_IOC_THREADS. -EINVAL before set-up, -ENOMEM, -EAGAIN, -EINTR if it is killed. */
int pprof_session_threads(struct pprof_session *session, struct pprof_threads *threads);

int pprof_session_mmap(struct pprof_session *session, struct vm_area_struct *vma);
__poll_t pprof_session_poll(struct pprof_session *session, struct file *file, poll_table *table);

#endif
