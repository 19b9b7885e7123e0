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
 * May current look into @task, by CAP_PERFMON or by the rules of ptrace? Those of
 * PTRACE_MODE_READ, as for perf: LSMs are asked, but Yama refuses attaching alone.
 * Then @undumpable says whether it may not be dumped. May sleep. -EACCES; -EOPNOTSUPP
 * for a kernel thread, -ESRCH for a process that has ended.
 */
int pprof_access_check(struct task_struct *task, bool *undumpable);

#endif
