/* SPDX-License-Identifier: GPL-2.0 */
/* The thread by which /proc shows a process. */
#ifndef COLLECTOR_LIVETASK_H
#define COLLECTOR_LIVETASK_H

#include <sys/types.h>

/*
 * When its first thread ends before the others, /proc/PID loses the process's maps, exe,
 * root, mem and map_files, while /proc/TID of each thread that lives has them: proc(5)
 * tells of it at /proc/PID/task. This is the number to ask /proc by: pid itself as long
 * as that does, and if no thread does.
 */
pid_t livetask(pid_t pid);

#endif /* COLLECTOR_LIVETASK_H */
