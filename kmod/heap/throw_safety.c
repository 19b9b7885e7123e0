// SPDX-License-Identifier: GPL-2.0
#include "heap/throw_safety.h"

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "base/access.h"
#include "arch/shadow_stack.h"
#include "base/uretprobe.h"
#include "heap/uretprobe_stack.h"

/*
 * The bound on the wait for all calls that may throw. A call that takes longer, as its thread is
 * stopped, may return, but must not throw.
 */
#define SETTLE_JIFFIES	(2 * HZ)
#define SETTLE_STEP_MS	5

/*
 * A uprobe has the same offset in its page as in the file. Only that offset is compared. So the
 * call of another user of uprobes may match, too.
 */
static bool is_of_ours(const struct pprof_heap_source *heap, const struct return_instance *call)
{
	for (u32 i = 0; i < heap->uprobes.nr; i++)
		if (!((heap->uprobes.list[i].probe->offset ^ call->func) & ~PAGE_MASK))
			return true;
	return false;
}

static void restore_ours(const struct pprof_heap_source *heap)
{
	const struct return_instance *call;

	for (call = pprof_return_instances(current); call; call = call->next)
		if (is_of_ours(heap, call))
			pprof_uretprobe_stack_restore(call);
}

/* A shadow stack keeps its copies, but no call that may throw has a uretprobe there. */
void pprof_heap_restore_returns(const struct pprof_heap_source *heap, u32 function, u64 sp)
{
	if (pprof_arch_has_shadow_stack())
		return;
	if (function == PPROF_HEAP_NEW_HANDLER)
		restore_ours(heap);
	else if (pprof_heap_has_uretprobe(function))
		pprof_uretprobe_stack_restore_below(sp);
}

/* Returns the thread of the call, with a reference; NULL: it has ended, or called exec. */
static struct task_struct *find_caller(const struct pprof_pending_call *call)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(call->tid, &init_pid_ns), PIDTYPE_PID);
	if (task && pprof_exec_id(task) == call->exec_id)
		get_task_struct(task);
	else
		task = NULL;
	rcu_read_unlock();
	return task;
}

/*
 * Does the stack still have the address of a uretprobe in place of the call's return address? The
 * word may also be left over from a return that no handler saw. It then stays until it is
 * overwritten. A page that is not in memory is not fetched, since a FUSE server may have it. The
 * result is then true.
 */
static bool seems_uretprobe(const struct pprof_pending_call *call)
{
	struct task_struct *task = find_caller(call);
	struct mm_struct *mm;
	bool is_read;
	u64 word;

	if (!task)
		return false;
	mm = pprof_access_grab(task);
	put_task_struct(task);
	if (!mm)
		return false;
	kthread_use_mm(mm);
	is_read = !copy_from_user_nofault(&word, (const void __user *)call->sp, sizeof(word));
	kthread_unuse_mm(mm);
	mmdrop(mm);
	return !is_read || (word && pprof_uretprobe_maybe(word));
}

/*
 * A call whose slot another thread has taken is not known: their tids differ by a multiple of
 * 4,096.
 */
void pprof_heap_settle(struct pprof_uprobes *uprobes)
{
	struct pprof_heap_source *heap = container_of(uprobes, struct pprof_heap_source, uprobes);
	unsigned long end = jiffies + SETTLE_JIFFIES;
	struct pprof_pending_call call;

	for (u32 i = 0; i < PPROF_PENDING_CALLS_SLOTS; i++)
		while (time_before(jiffies, end) &&
		       pprof_pending_calls_get(&heap->calls, i, &call) &&
		       pprof_heap_may_throw(call.function) && seems_uretprobe(&call))
			msleep(SETTLE_STEP_MS);
}
