/* SPDX-License-Identifier: GPL-2.0 */
/* Who may look into which process. */
#ifndef PPROF_ACCESS_H
#define PPROF_ACCESS_H

#include <linux/sched.h>

struct user_namespace;

/* What there is to see of a process. */
enum pprof_access {
	PPROF_ACCESS_STACKS,	/* by frame pointers: PTRACE_MODE_READ, as for perf */
	/*
	 * By tables, which say where to read: any word of its memory. PTRACE_MODE_ATTACH, as
	 * for /proc/PID/mem; of these two, Yama is asked for this one alone.
	 */
	PPROF_ACCESS_MEMORY,
};

/*
 * Learns what a true procfs's files of a process look like from those of the caller,
 * who loads the module. May sleep. -ENOENT without a procfs at /proc.
 */
int pprof_access_init(void);

/*
 * The mm of @task, or NULL; the caller drops it (mmdrop()). get_task_mm() would keep what it
 * maps, too: its last user may have to wait for I/O of a process that has ended, and so does
 * who has a worker of the machine do that. May be called where task_lock() may.
 */
struct mm_struct *pprof_access_grab(struct task_struct *task);

/*
 * The mm of @process's threads, by the first that has not ended, which is @tid in
 * current's pid namespace: its leader may have ended, for good, or for as long as
 * another of its threads executes a program. Else as pprof_access_grab(); NULL: all have
 * ended, or it is a kernel thread.
 */
struct mm_struct *pprof_access_mm(struct pid *process, pid_t *tid);

/*
 * May current see @what of @process, by CAP_PERFMON or by the rules of ptrace, LSMs'
 * included? Then @traced is the user namespace of its memory, if current has the right to
 * trace in there what is not dumpable, else NULL; the caller puts it. May sleep. -EACCES;
 * -EPERM if it may see stacks and not memory; -EOPNOTSUPP for a kernel thread, -ESRCH for
 * a process that has ended.
 */
int pprof_access_check(struct pid *process, enum pprof_access what,
		       struct user_namespace **traced);

#endif
