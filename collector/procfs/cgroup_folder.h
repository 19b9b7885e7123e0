/* SPDX-License-Identifier: GPL-2.0 */
/* The folder of a cgroup of cgroup2. */
#ifndef COLLECTOR_CGROUP_FOLDER_H
#define COLLECTOR_CGROUP_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Opens the folder of a cgroup. path begins at the root of cgroup2, as in /proc/PID/cgroup; or it
 * is the path of the folder itself.
 * Returns: the descriptor, which the caller closes; or a negative errno. -ENODEV: no cgroup2 is
 * mounted. -EMEDIUMTYPE: the folder is one of cgroup v1.
 */
int cgroup_folder_open(const char *path);

/* Prints why cgroup_folder_open() returned err. */
void cgroup_folder_print_error(const char *path, int err);

/*
 * Calls visit() for each process of the cgroup and of those below it, until it returns false. The
 * pids are those of the pid namespace of this process. A process that moves meanwhile may be
 * missed, or visited twice.
 * Returns: 0, or a negative errno of cgroup_folder_open().
 */
int cgroup_folder_visit(const char *path, bool (*visit)(void *ctx, pid_t pid), void *ctx);

/* Returns the last component of path, or "root" if path is "/". */
const char *cgroup_folder_name(const char *path);

#endif /* COLLECTOR_CGROUP_FOLDER_H */
