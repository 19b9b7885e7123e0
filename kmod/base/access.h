/* SPDX-License-Identifier: GPL-2.0 */
/* Which processes the calling thread may look into. */
#ifndef PPROF_ACCESS_H
#define PPROF_ACCESS_H

#include <linux/sched.h>

struct user_namespace;

/* The parts of a process that a session reads. */
enum pprof_access {
	PPROF_ACCESS_STACKS,	/* its stacks by frame pointers: PTRACE_MODE_READ, as for perf */
	/*
	 * Its stacks by tables. Tables decide which address is read: any word of memory. So it
	 * needs PTRACE_MODE_ATTACH, as /proc/PID/mem does. Of these two modes Yama checks this one
	 * alone.
	 */
	PPROF_ACCESS_MEMORY,
};

/*
 * Learns the file operations of procfs from the caller's own files. The caller loads the module.
 * Returns: 0, or -ENOENT: no procfs at /proc. The cause is in the kernel log.
 * Sleeps.
 */
int pprof_access_init(void);

/*
 * Returns the mm of @task with a reference, or NULL: @task has no mm, or is a kernel thread. The
 * caller calls mmdrop().
 *
 * get_task_mm() is rejected. It would keep the mappings, too. Then the last mmput() may wait for
 * I/O of a process that has ended. If a kernel worker calls it, that worker waits.
 * Locks: takes task_lock(@task).
 * Context: where task_lock() may be taken.
 */
struct mm_struct *pprof_access_grab(struct task_struct *task);

/*
 * Returns the mm of @process with a reference, or NULL: all threads have ended, or it is a kernel
 * thread. The caller calls mmdrop().
 *
 * It takes the mm from the first thread that has one, and sets *tid to that thread, in the pid
 * namespace of current. The leader may have no mm: it has ended for good, or another thread is in
 * exec.
 * Locks: takes task_lock() of the threads, under RCU.
 */
struct mm_struct *pprof_access_mm(struct pid *process, pid_t *tid);

/*
 * May current see @what of all processes? Stacks take CAP_PERFMON, memory CAP_SYS_PTRACE, too.
 * Context: process context.
 */
bool pprof_access_is_trusted(enum pprof_access what);

/*
 * Checks whether current may see @what of @process: because it is trusted, or by the rules of
 * ptrace and the LSMs. A caller with CAP_PERFMON alone may see the stacks of all processes.
 *
 * On success *traced is the user namespace of the process's memory, with a reference, if current
 * has CAP_SYS_PTRACE in it. It says that current may read memory there that is not dumpable. Else
 * *traced is NULL. The caller puts it.
 * Returns: 0, or an error.
 * - -EACCES: current may not see the process.
 * - -EPERM: current may see stacks, but not memory.
 * - -EOPNOTSUPP: a kernel thread.
 * - -ESRCH: the process has ended.
 * Locks: the caller holds none that another session needs. Opening a file below /proc may take for
 * ever.
 * Sleeps.
 */
int pprof_access_check(struct pid *process, enum pprof_access what,
		       struct user_namespace **traced);

/*
 * May current see the system calls of @process, as in /proc/PID/syscall? That takes the right to
 * PPROF_ACCESS_MEMORY.
 * Locks: the caller holds none, as for pprof_access_check().
 * Sleeps.
 */
bool pprof_access_sees_calls(struct pid *process);

#endif
