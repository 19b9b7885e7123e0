/* SPDX-License-Identifier: GPL-2.0 */
/* Who may look into which process. */
#ifndef PPROF_ACCESS_H
#define PPROF_ACCESS_H

#include <linux/sched.h>

/*
 * Learns what a true /proc/PID/auxv looks like from that of the caller, who
 * loads the module. May sleep. -ENOENT without a procfs at /proc.
 */
int pprof_access_init(void);

/*
 * The mm of @process's threads, by the first that has not ended, which is @tid in
 * current's pid namespace: its leader may have ended, for good, or for as long as
 * another of its threads executes a program. The caller puts it. Any context that may
 * take a task's alloc_lock. NULL: all have ended, or it is a kernel thread.
 */
struct mm_struct *pprof_access_mm(struct pid *process, pid_t *tid);

/*
 * May current look into @process, by CAP_PERFMON or by the rules of ptrace? Those of
 * PTRACE_MODE_READ, as for perf: LSMs are asked, but Yama refuses attaching alone.
 * Then @undumpable says whether it may not be dumped. May sleep. -EACCES; -EOPNOTSUPP
 * for a kernel thread, -ESRCH for a process that has ended.
 */
int pprof_access_check(struct pid *process, bool *undumpable);

#endif
