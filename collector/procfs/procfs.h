/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc tells of a process; see proc(5). */
#ifndef COLLECTOR_PROCFS_H
#define COLLECTOR_PROCFS_H

#include <stddef.h>
#include <sys/types.h>

#include "procfs/maps.h"

/* A line of maps; name is "" if there is none. Another result than 0 ends it. */
typedef int (*procfs_maps_fn)(void *ctx, const struct maps_entry *e, const char *name);

/* Calls fn for each mapping of pid: 0, fn's last result, or -ESRCH. */
int procfs_maps(pid_t pid, procfs_maps_fn fn, void *ctx);

/* The name of pid's leader; *comm stays as it is if pid is gone. */
void procfs_comm(pid_t pid, char *comm, size_t size);

/* The path of the program that pid executes. 0 or a negative errno. */
int procfs_exe(pid_t pid, char *path, size_t size);

#endif /* COLLECTOR_PROCFS_H */
