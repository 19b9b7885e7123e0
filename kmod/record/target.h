/* SPDX-License-Identifier: GPL-2.0 */
/* Which processes a session profiles. */
#ifndef PPROF_TARGET_H
#define PPROF_TARGET_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

struct cgroup;

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
	/* A reference. The targets are its processes, see cgroup_moves.h. NULL: no cgroup */
	struct cgroup *cgroup;
	pid_t unchecked;	/* tgid, see pprof_target_add_unchecked(); 0: none */
	atomic_t nr ____cacheline_aligned_in_smp;	/* number of bits that are set */
	/* With a cgroup: guards each change of a bit; irq-safe. No lock is taken inside it. */
	raw_spinlock_t lock;
};

/*
 * @ns is borrowed and must outlive the target. The caller's memory cgroup is charged.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_target_init(struct pprof_target *target, struct pid_namespace *ns, bool all,
		      bool children);

/*
 * From now on the targets are the processes of a cgroup of cgroup2, and of the cgroups below it.
 * The caller of pprof_target_init() asked for neither all processes nor children. @fd is a folder
 * of cgroup2 that current has open.
 * Returns: 0, or an error of pprof_cgroup_get().
 * Sleeps.
 */
int pprof_target_set_cgroup(struct pprof_target *target, int fd);

/*
 * Frees the bits, and drops the cgroup. A zeroed @target is left alone. No hook may use it any
 * more.
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
 * Ends the time in which the target is unchecked: the caller's check has passed, or the caller has
 * removed the target. In the second case no hook that saw its bit may still run: see
 * tracepoint_synchronize_unregister(). Hooks report events of the process from now on. A hook may
 * have dropped an exec or the end just before this. So the caller checks once more afterwards.
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

enum pprof_move { PPROF_MOVE_NONE, PPROF_MOVE_ENTERED, PPROF_MOVE_LEFT };

/*
 * For a session of a cgroup: makes the process of @task a target, or removes it from the targets.
 * @to is the cgroup to which the process has moved. NULL: the cgroup of @task, which does not exit.
 *
 * The hook of a fork and that of a migration may run at the same time for one process. Either both
 * see the cgroup after the migration, or the hook of the migration takes the lock last.
 * Locks: takes target->lock. The caller is in an RCU read section.
 * Context: any but NMI.
 */
enum pprof_move pprof_target_move(struct pprof_target *target, struct task_struct *task,
				  struct cgroup *to);

/*
 * For a session of a cgroup: a process has counted its last thread as ended. When this returns, no
 * pprof_target_move() makes it a target any more. So its number is free for another process.
 * Locks: takes target->lock.
 * Context: any but NMI.
 */
void pprof_target_end_moves(struct pprof_target *target);

/*
 * Is there no target? Never true without bits.
 * Context: any.
 */
static inline bool pprof_target_is_empty(const struct pprof_target *target)
{
	return target->bits && !atomic_read(&target->nr);
}

#endif
