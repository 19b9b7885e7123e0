/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the thread whose directory in /proc still shows the process. */
#ifndef COLLECTOR_LIVE_THREAD_H
#define COLLECTOR_LIVE_THREAD_H

#include <sys/types.h>

/*
 * The main thread of a process may end before the other threads. Then /proc/PID shows no maps,
 * exe, root, mem and map_files any more, while /proc/TID of each living thread still does. See
 * proc(5), /proc/pid/task.
 *
 * Returns: the id to use with /proc. That is pid itself while its exe is there, and also if no
 * thread has an exe.
 */
pid_t live_thread(pid_t pid);

#endif /* COLLECTOR_LIVE_THREAD_H */
