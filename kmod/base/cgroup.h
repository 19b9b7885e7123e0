/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroups of cgroup2. The hierarchies of cgroup v1 do not count. A kernel without
 * CONFIG_CGROUPS has none.
 */
#ifndef PPROF_CGROUP_H
#define PPROF_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/sched.h>

#ifdef CONFIG_CGROUPS

/*
 * Returns the cgroup of a folder that current has open as @fd, with a reference. Or it returns an
 * error.
 * - -EBADF: @fd is no folder of cgroup2.
 * - -ENOENT: the cgroup was removed.
 * - -EOPNOTSUPP: a threaded cgroup. It has threads, and not processes.
 * Sleeps.
 */
static inline struct cgroup *pprof_cgroup_get(int fd)
{
	struct cgroup *cgroup = cgroup_get_from_fd(fd);
	int err = 0;

	if (IS_ERR(cgroup))
		return cgroup;
	if (cgroup->root != &cgrp_dfl_root)
		err = -EBADF;
	else if (READ_ONCE(cgroup->dom_cgrp) != cgroup)
		err = -EOPNOTSUPP;
	if (!err)
		return cgroup;
	cgroup_put(cgroup);
	return ERR_PTR(err);
}

/*
 * Drops a reference. NULL is left alone.
 * Context: any.
 */
static inline void pprof_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

/*
 * Is @below in @cgroup, or in a cgroup below it? False if @below is of cgroup v1.
 * Context: any, in an RCU read section.
 */
static inline bool pprof_cgroup_has(struct cgroup *cgroup, struct cgroup *below)
{
	return below->root == cgroup->root && cgroup_is_descendant(below, cgroup);
}

/*
 * Returns the cgroup of @task.
 * Context: any, in an RCU read section.
 */
static inline struct cgroup *pprof_cgroup_of(struct task_struct *task)
{
	return task_dfl_cgroup(task);
}

/*
 * Was the cgroup removed? Then it has no process, and never gets one.
 * Context: any.
 */
static inline bool pprof_cgroup_is_gone(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

#else

static inline struct cgroup *pprof_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void pprof_cgroup_put(struct cgroup *cgroup)
{
}

static inline bool pprof_cgroup_has(struct cgroup *cgroup, struct cgroup *below)
{
	return false;
}

static inline struct cgroup *pprof_cgroup_of(struct task_struct *task)
{
	return NULL;
}

static inline bool pprof_cgroup_is_gone(const struct cgroup *cgroup)
{
	return true;
}

#endif

#endif
