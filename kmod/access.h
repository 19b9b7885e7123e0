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
 * May current read @task's memory, by CAP_PERFMON or by the rules of ptrace
 * (PTRACE_MODE_READ, Yama and LSM included)? May sleep. -EACCES; -EOPNOTSUPP
 * for a kernel thread, -ESRCH for a process that has ended.
 */
int pprof_access_check(struct task_struct *task);

#endif
