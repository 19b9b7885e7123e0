/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CGROUP_H
#define SHIM_CGROUP_H

#include <linux/types.h>

#ifndef CONFIG_CGROUPS
#define CONFIG_CGROUPS
#endif

#define CSS_ONLINE	2U

struct cgroup_root {
	int nr;
};

struct cgroup {
	struct {
		unsigned int flags;
	} self;
	struct cgroup_root *root;
	struct cgroup *dom_cgrp;
	struct cgroup *parent;
	int nr_refs;
};

/* Weak: most tests of targets have no cgroup, and define none of these. */
__attribute__((weak)) struct cgroup_root cgrp_dfl_root;
__attribute__((weak)) struct cgroup *shim_opened;	/* or an ERR_PTR() */

static inline struct cgroup *cgroup_get_from_fd(int fd)
{
	(void)fd;
	if ((unsigned long)shim_opened < (unsigned long)-4095)
		shim_opened->nr_refs++;
	return shim_opened;
}

static inline void cgroup_put(struct cgroup *cgroup)
{
	cgroup->nr_refs--;
}

static inline bool cgroup_is_descendant(struct cgroup *cgroup, const struct cgroup *of)
{
	while (cgroup && cgroup != of)
		cgroup = cgroup->parent;
	return cgroup;
}

#define task_dfl_cgroup(task)	((task)->cgroup)

#endif
