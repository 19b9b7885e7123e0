/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that container runtimes, Kubernetes and systemd write into the path of a cgroup. The
 * form of a component decides alone. A component of another form has no name.
 */
#ifndef COLLECTOR_CGROUP_NAMES_H
#define COLLECTOR_CGROUP_NAMES_H

#define CGROUP_CONTAINER_BYTES	(64 + 1)	/* 64 hexadecimal digits */
#define CGROUP_POD_BYTES	(36 + 1)	/* a UUID; 32 digits for a static pod */
#define CGROUP_UNIT_BYTES	(255 + 1)	/* NAME_MAX */

/* An empty string: the path has no such name. */
struct cgroup_names {
	/*
	 * The id of the innermost container:
	 * - docker-ID.scope, and ID below "docker"
	 * - cri-containerd-ID.scope, and SLICE:cri-containerd:ID
	 * - crio-ID and libpod-ID, with .scope or without, and libpod-payload-ID
	 * - ID below the cgroup of a pod
	 */
	char container[CGROUP_CONTAINER_BYTES];
	/*
	 * The UID of the innermost pod: podUID below "kubepods", and kubepods-podUID.slice, also
	 * with -burstable or -besteffort. The names of slices have '_' for '-'.
	 */
	char pod[CGROUP_POD_BYTES];
	/*
	 * The innermost unit of systemd, if it is a service: see systemd.unit(5). A scope is no
	 * service, nor is the user manager outside of it.
	 */
	char unit[CGROUP_UNIT_BYTES];
};

/* Finds the names in a path, such as "/system.slice/nginx.service". */
void cgroup_names_find(const char *path, struct cgroup_names *names);

#endif /* COLLECTOR_CGROUP_NAMES_H */
