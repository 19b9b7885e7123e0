// SPDX-License-Identifier: GPL-2.0
#include "record/target.h"

#include <asm/barrier.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>

int pprof_target_init(struct pprof_target *target, struct pid_namespace *ns, bool all,
		      bool children)
{
	*target = (struct pprof_target) { .children = children, .ns = ns };
	if (all)
		return 0;
	target->bits = __vmalloc(PID_MAX_LIMIT / BITS_PER_BYTE,
				 GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return target->bits ? 0 : -ENOMEM;
}

void pprof_target_fini(struct pprof_target *target)
{
	vfree(target->bits);
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
