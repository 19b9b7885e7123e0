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
 * One bit for each pid that Linux can give (PID_MAX_LIMIT: 512 KiB a session). It is exact and
 * never full. A fork takes no lock and allocates nothing. A lookup in sched_switch takes a few
 * instructions. A hash set is rejected: it was slower.
 *
 * Every CPU reads the first fields all the time. nr has a cache line of its own, as forks and exits
 * write it.
 */
struct pprof_target {
	unsigned long *bits;	/* by tgid in the initial namespace; NULL: every process */
	/* Of the opener. Without bits, all processes with a pid in it are targets */
	struct pid_namespace *ns;
	bool children;		/* children of targets become targets */
	pid_t unchecked;	/* tgid, see pprof_target_add_unchecked(); 0: none */
	atomic_t nr ____cacheline_aligned_in_smp;	/* number of bits that are set */
};

/*
 * @ns is borrowed and must outlive the target. The caller's memory cgroup is charged.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_target_init(struct pprof_target *target, struct pid_namespace *ns, bool all,
		      bool children);

/*
 * Frees the bits. A zeroed @target is left alone. No hook may use it any more.
 * Sleeps.
 */
void pprof_target_fini(struct pprof_target *target);

/*
 * The slow path of pprof_target_has(): is @task a user thread with a pid in the opener's namespace?
 * Context: any.
 */
bool pprof_target_sees(const struct pprof_target *target, const struct task_struct *task);

/*
 * Is @task a thread of a target? A kernel thread never is: its tgid cannot be added.
 * Context: any.
 */
static inline bool pprof_target_has(const struct pprof_target *target,
				    const struct task_struct *task)
{
	if (likely(target->bits))
		return test_bit(task->tgid, target->bits);
	return pprof_target_sees(target, task);
}

/*
 * Makes @tgid a target before the caller has checked that it is still the right process. From now
 * on hooks notice if the process ends or calls exec. So the caller checks after this call. Until
 * pprof_target_end_check() children of the process do not become targets, and nothing is reported
 * of it.
 * Locks: the caller holds the session's mutex until pprof_target_end_check().
 * Returns: true, or false if it is a target already. Then nothing changes.
 * Context: any.
 */
bool pprof_target_add_unchecked(struct pprof_target *target, pid_t tgid);

/*
 * The check is done. Hooks report events of the process from now on. They may have kept an exec or
 * the end to themselves shortly before. So the caller checks once more. The process is now a normal
 * target, or the caller has removed it. In that case no hook that saw its bit may still run: see
 * tracepoint_synchronize_unregister().
 * Locks: the caller holds the session's mutex.
 * Context: any.
 */
void pprof_target_end_check(struct pprof_target *target);

/*
 * Is @tgid a target that is not checked yet? The caller has seen that it is a target.
 * Context: any.
 */
bool pprof_target_is_unchecked(const struct pprof_target *target, pid_t tgid);

/*
 * Add or remove a target. Without bits they do nothing, as every process is a target.
 * Context: any.
 */
void pprof_target_add(struct pprof_target *target, pid_t tgid);
/* Returns: true if it was a target, or if every process is one. */
bool pprof_target_remove(struct pprof_target *target, pid_t tgid);

/*
 * Is there no target? Never true without bits.
 * Context: any.
 */
static inline bool pprof_target_is_empty(const struct pprof_target *target)
{
	return target->bits && !atomic_read(&target->nr);
}

#endif
