// SPDX-License-Identifier: GPL-2.0
#include "record/target.h"

#include <asm/barrier.h>
#include <linux/sched/signal.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>

#include "base/cgroup.h"

int pprof_target_init(struct pprof_target *target, struct pid_namespace *ns, bool all,
		      bool children)
{
	*target = (struct pprof_target) { .children = children, .ns = ns };
	raw_spin_lock_init(&target->lock);
	if (all)
		return 0;
	target->bits = __vmalloc(PID_MAX_LIMIT / BITS_PER_BYTE,
				 GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return target->bits ? 0 : -ENOMEM;
}

int pprof_target_set_cgroup(struct pprof_target *target, int fd)
{
	struct cgroup *cgroup = pprof_cgroup_get(fd);

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	target->cgroup = cgroup;
	return 0;
}

void pprof_target_fini(struct pprof_target *target)
{
	vfree(target->bits);
	target->bits = NULL;
	pprof_cgroup_put(target->cgroup);
	target->cgroup = NULL;
}

bool pprof_target_sees(const struct pprof_target *target, const struct task_struct *task)
{
	/* The task may set other flags now. This one never changes. */
	if (data_race(task->flags & PF_KTHREAD) || is_idle_task(task))
		return false;
	return target->ns == &init_pid_ns ||
	       task_tgid_nr_ns((struct task_struct *)task, target->ns);
}

void pprof_target_add(struct pprof_target *target, pid_t tgid)
{
	if (target->bits && !test_and_set_bit(tgid, target->bits))
		atomic_inc(&target->nr);
}

bool pprof_target_add_unchecked(struct pprof_target *target, pid_t tgid)
{
	if (test_bit(tgid, target->bits))
		return false;
	WRITE_ONCE(target->unchecked, tgid);
	/* Pairs with pprof_target_is_unchecked(): a reader that sees the bit sees this */
	smp_wmb();
	pprof_target_add(target, tgid);
	return true;
}

void pprof_target_end_check(struct pprof_target *target)
{
	WRITE_ONCE(target->unchecked, 0);
	/*
	 * Pairs with pprof_target_is_unchecked(). A hook counts the exec or the end, and then reads
	 * this. The caller writes this, and then reads the counts. So one of them sees the other.
	 */
	smp_mb();
}

bool pprof_target_is_unchecked(const struct pprof_target *target, pid_t tgid)
{
	/* Pairs with pprof_target_add_unchecked() and pprof_target_end_check() */
	smp_mb();
	return READ_ONCE(target->unchecked) == tgid;
}

bool pprof_target_remove(struct pprof_target *target, pid_t tgid)
{
	if (!target->bits)
		return true;
	if (!test_and_clear_bit(tgid, target->bits))
		return false;
	atomic_dec(&target->nr);
	return true;
}

static bool belongs(const struct pprof_target *target, struct task_struct *task, struct cgroup *to)
{
	return pprof_cgroup_has(target->cgroup, to ? to : pprof_cgroup_of(task)) &&
	       pprof_target_sees(target, task) && atomic_read(&task->signal->live);
}

/*
 * The last thread of a process lowers signal->live, and then calls pprof_target_end_moves(). So a
 * process that is alive here, under the lock, is removed by the hook of its end.
 */
enum pprof_move pprof_target_move(struct pprof_target *target, struct task_struct *task,
				  struct cgroup *to)
{
	enum pprof_move move = PPROF_MOVE_NONE;
	unsigned long flags;
	bool is, was;

	raw_spin_lock_irqsave(&target->lock, flags);
	is = belongs(target, task, to);
	was = test_bit(task->tgid, target->bits);
	if (is && !was) {
		pprof_target_add(target, task->tgid);
		move = PPROF_MOVE_ENTERED;
	} else if (!is && was && pprof_target_remove(target, task->tgid)) {
		move = PPROF_MOVE_LEFT;
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return move;
}

void pprof_target_end_moves(struct pprof_target *target)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&target->lock, flags);
	raw_spin_unlock_irqrestore(&target->lock, flags);
}
