/* SPDX-License-Identifier: GPL-2.0 */
/* Reads what /proc shows of a process; see proc(5). */
#ifndef COLLECTOR_PROCFS_H
#define COLLECTOR_PROCFS_H

#include <stddef.h>
#include <sys/types.h>

#include "procfs/maps.h"

/*
 * Receives one mapping of maps. name is "" if the mapping has no name, or one over PATH_MAX. In
 * e->name newlines may still be escaped; in name they are not. A result other than 0 ends the walk.
 * e and name are valid during the call only.
 */
typedef int (*procfs_maps_fn)(void *ctx, const struct maps_entry *e, const char *name);

/*
 * Calls fn for each mapping of pid. Lines that cannot be parsed are skipped.
 * Returns: 0, the last result of fn, or -ESRCH if maps cannot be opened.
 */
int procfs_maps(pid_t pid, procfs_maps_fn fn, void *ctx);

/*
 * As procfs_maps(), for executable mappings alone. Linux 6.11 and later finds them without a line
 * for each other mapping: a process with 1,000 threads has over 2,000 lines. No address is reported
 * twice, also if the process changes its mappings meanwhile. If a path has the four characters
 * "\012", only Linux 6.11 and later give them: elsewhere they are taken for an escaped newline.
 */
int procfs_executable_maps(pid_t pid, procfs_maps_fn fn, void *ctx);

/*
 * Copies the name of the main thread of pid to comm, of size bytes. comm is unchanged if the
 * process is gone.
 */
void procfs_comm(pid_t pid, char *comm, size_t size);

/*
 * Copies the path of the program that pid executes to path, with a NUL. A longer path is cut to
 * size - 1 bytes.
 * Returns: 0, or a negative errno of readlink().
 */
int procfs_exe(pid_t pid, char *path, size_t size);

#endif /* COLLECTOR_PROCFS_H */
