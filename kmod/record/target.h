/* SPDX-License-Identifier: GPL-2.0 */
/* Which processes a session profiles. */
#ifndef PPROF_TARGET_H
#define PPROF_TARGET_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

/*
 * One bit for each pid that Linux can give (PID_MAX_LIMIT: 512 KiB a session).
 * Exact, never full, no lock and no allocation where a process forks, and a
 * look-up costs a few instructions in sched_switch: a hash set was no match.
 * Every CPU reads the first three all the time; the count, which forks and exits
 * write, would take their cache line away.
 */
struct pprof_target {
	unsigned long *bits;	/* by tgid in the initial namespace; NULL: everybody */
	struct pid_namespace *ns;	/* of the opener; everybody means its pids */
	bool children;		/* a target's children are targets */
	pid_t tried;		/* see pprof_target_try(); 0: none */
	atomic_t nr ____cacheline_aligned_in_smp;	/* bits set */
};

/*
 * @ns is borrowed and outlives the target. May sleep, charged to the caller's
 * memory cgroup. -ENOMEM.
 */
int pprof_target_init(struct pprof_target *target, struct pid_namespace *ns, bool all,
		      bool children);
void pprof_target_fini(struct pprof_target *target);

bool pprof_target_sees(const struct pprof_target *target, const struct task_struct *task);

/*
 * Is @task a thread of a target? Kernel threads never are: their tgid cannot
 * be added. Any context.
 */
static inline bool pprof_target_has(const struct pprof_target *target,
				    const struct task_struct *task)
{
	if (likely(target->bits))
		return test_bit(task->tgid, target->bits);
	return pprof_target_sees(target, task);
}

/*
 * Makes @tgid a target on trial: hooks see its end and what it executes, so that its caller
 * can tell whether it is still what was checked; but what it forks is no target, and what
 * it maps is not told. False: it is a target already, and stays one. One at a time: its
 * caller has the session's mutex, until pprof_target_end_try(). Any context.
 */
bool pprof_target_try(struct pprof_target *target, pid_t tgid);

/*
 * It is a target as all others, or was removed. No hook that saw its bit before that may
 * still run: see tracepoint_synchronize_unregister().
 */
void pprof_target_end_try(struct pprof_target *target);

/* Of who was seen to be a target. Any context. */
bool pprof_target_is_tried(const struct pprof_target *target, pid_t tgid);

/* Any context; for everybody both do nothing, and all are targets. */
void pprof_target_add(struct pprof_target *target, pid_t tgid);
/* True if it was one. */
bool pprof_target_remove(struct pprof_target *target, pid_t tgid);

/* Has the last one gone, or has none come yet? Everybody is never empty. */
static inline bool pprof_target_is_empty(const struct pprof_target *target)
{
	return target->bits && !atomic_read(&target->nr);
}

#endif
