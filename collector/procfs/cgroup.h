/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroup of a process: see /proc/PID/cgroup in cgroups(7). */
#ifndef COLLECTOR_CGROUP_H
#define COLLECTOR_CGROUP_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "procfs/cgroup_names.h"

struct cgroup {
	struct cgroup_names names;	/* of path */
	char path[];	/* from the root of the cgroup namespace of the collector */
};

/*
 * Reads the cgroup of pid; free() frees it. Where cgroup v1 is mounted, a process has a cgroup in
 * each hierarchy. Then it is the first of these that exists:
 * - a container in the hierarchy of cgroup2, or in that of systemd
 * - the cgroup in the hierarchy of cgroup2, unless that is the root
 * - the cgroup in the hierarchy of systemd
 * - the root of cgroup2
 *
 * Returns: the cgroup; or NULL with errno. ENOENT: the process is gone, or has no such cgroup.
 */
struct cgroup *cgroup_read(pid_t pid);

/* The same from the lines of a file. */
struct cgroup *cgroup_parse(FILE *lines);

#endif /* COLLECTOR_CGROUP_H */
