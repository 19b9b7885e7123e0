/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect list`: the profiles of a process. */
#ifndef COLLECTOR_PROFILE_LIST_H
#define COLLECTOR_PROFILE_LIST_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Prints to out a line for each profile type, and for each custom profile of the process, sorted by
 * name. A line has the name and the current count: of threads, or of custom values; 0 for other
 * profile types. The line of thread is left out if /proc hides the process.
 * Returns: 0, or -1 after an error message.
 */
int profile_list_print(pid_t pid, FILE *out);

#endif /* COLLECTOR_PROFILE_LIST_H */
