// SPDX-License-Identifier: GPL-2.0
/*
 * Source heap: what programs allocate and do not free, by breakpoints (uprobes)
 * in the functions of their allocator.
 *
 * Of objects smaller than a period one is sampled for each period of their bytes,
 * as in source/growth.c; larger ones all are. Each power of two has periods of its own,
 * so that the number of objects is as true as that of bytes, however sizes are
 * mixed. Go has an exponential distance between samples and scales by
 * 1/(1-exp(-size/rate)): that has the same mean for each object, and for a thousand
 * samples an error of 3 %.
 *
 * A call costs a trap, and another one if its return is awaited too. So of
 * malloc() and calloc() only those returns are that a sample is due at, where the
 * kernel can tell (6.12). What else allocates may call malloc() inside, whose
 * object is then its own: there all are.
 *
 * A C++ exception that passes an awaited call ends the program. So what may throw is
 * awaited only while a breakpoint is where it goes first, which gives the return
 * addresses back; and that one stays until the last such call has ended. Rejected: not
 * to await them (jemalloc's operator new calls nothing that could be awaited instead,
 * and what is in use would not be known), and to put the addresses back from outside (by
 * then another call may be in that place, which somebody else awaits).
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include <asm/mmu_context.h>

#include "base/access.h"
#include "base/arch.h"
#include "base/uretprobe.h"
#include "heap/uprobes.h"
#include "heap/pending_calls.h"
#include "heap/live_objects.h"
#include "heap/uretprobe_stack.h"
#include "source/source.h"
#include "source/stratified.h"

/* Sizes of so many bits are below a period. */
#define NR_CLASSES	31

/*
 * For so long calls that may throw are waited for, in sum. One that takes longer, as
 * its thread is stopped, may still return, but must not throw.
 */
#define SETTLE_JIFFIES	(2 * HZ)
#define SETTLE_STEP_MS	5

struct heap;

struct strata_by_size {
	struct pprof_strata classes[NR_CLASSES];
};

struct heap {
	struct pprof_sink *sink;
	u32 period;
	struct strata_by_size __percpu *strata;
	struct pprof_live live;
	struct pprof_calls calls;
	struct pprof_breakpoints breakpoints;	/* the last */
};

/* An object's process may have ended long ago. */
static bool object_is_gone(const struct pprof_live_object *object)
{
	struct task_struct *leader;
	bool gone;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(object->tgid, &init_pid_ns), PIDTYPE_TGID);
	gone = !leader || pprof_exec_id(leader) != object->image;
	rcu_read_unlock();
	return gone;
}

/* All from here to note_return(): current is at a breakpoint; interrupts are off. */

static void tell_free(struct heap *heap, u64 image, u64 number)
{
	struct pprof_free *record;

	if (!number)
		return;
	record = pprof_record_life(heap->sink, current, PPROF_REC_FREE, sizeof(*record));
	if (!record)
		return;
	record->ev.image = image;	/* whose place current may have taken */
	record->object = number;
	pprof_record_commit(heap->sink, record);
}

/* False: there is no place for it. */
static bool keep(struct heap *heap, u64 address, u64 number)
{
	const struct pprof_live_object object = {
		.address = address, .number = number, .tgid = current->tgid,
		.image = pprof_exec_id(current),
	};
	u64 stale;

	if (!pprof_live_add(&heap->live, &object, &stale))
		return false;
	tell_free(heap, object.image, stale);
	return true;
}

static bool tell(struct heap *heap, const struct pprof_call *call, u64 number)
{
	const struct pprof_happening what = {
		.source = PPROF_SOURCE_HEAP, .weight = call->weight, .value = call->size,
		.arg = number, .time_ns = ktime_get_mono_fast_ns(),
	};

	return pprof_record_sample(heap->sink, &what);
}

/*
 * Nobody but current knows the object yet. One without a sample in the ring is not
 * kept: it would be freed without having been told; nor is one that has no place.
 */
static void tell_object(struct heap *heap, const struct pprof_call *call, u64 address)
{
	u64 number = atomic64_inc_return(&heap->sink->last_object);

	if (!keep(heap, address, number))
		tell(heap, call, PPROF_HEAP_NOT_KEPT);
	else if (!tell(heap, call, number))
		pprof_live_take(&heap->live, address, call->image);
}

static bool size_of(const struct pt_regs *regs, u32 kind, u64 *size)
{
	switch (kind) {
	case PPROF_HEAP_MALLOC:
	case PPROF_HEAP_VALLOC:
	case PPROF_HEAP_NEW:
	case PPROF_HEAP_NEW_FAILS:
	case PPROF_HEAP_NEW_ALIGNED:
		*size = regs->di;
		break;
	case PPROF_HEAP_CALLOC:
	case PPROF_HEAP_OUTER_CALLOC:
		if (check_mul_overflow((u64)regs->di, (u64)regs->si, size))
			return false;
		break;
	case PPROF_HEAP_POSIX_MEMALIGN:
		*size = regs->dx;
		break;
	default:
		*size = regs->si;
	}
	return *size < TASK_SIZE_MAX;	/* or it fails, whatever the allocator */
}

static u64 weight_of(struct heap *heap, u64 size)
{
	struct strata_by_size *strata = this_cpu_ptr(heap->strata);

	if (size >= heap->period)
		return 1;
	return pprof_strata_take(&strata->classes[fls64(size)], heap->period, size);
}

/* How it ended will not be known. */
static void drop_call(struct heap *heap, const struct pprof_call *call)
{
	tell_free(heap, call->image, call->number);
	if (call->weight)
		pprof_record_lost(heap->sink, PPROF_SOURCE_HEAP, call->weight, PPROF_LOST_QUEUE);
}

static void enter(struct heap *heap, const struct pprof_call *call)
{
	struct pprof_call left;

	pprof_calls_enter(&heap->calls, call, &left);
	if (left.tid)
		drop_call(heap, &left);
}

/* What was awaited is not, from now on. */
static void give_up_call(struct heap *heap)
{
	u64 sp = pprof_calls_sp(&heap->calls, current->pid);
	struct pprof_call call;

	if (sp && pprof_calls_leave(&heap->calls, current->pid, sp, &call))
		drop_call(heap, &call);
}

/*
 * Is this a call of one of the allocator's functions by another? The one that is
 * noted still waits for its return, and is further up in the stack, or is where it
 * was if it jumped here. Where all returns are awaited (6.1) others may be between.
 * One that does not wait was left: it must not take another's return for its own.
 */
static bool is_inside(struct heap *heap, u64 sp)
{
	u64 noted = pprof_calls_sp(&heap->calls, current->pid);
	const struct return_instance *call;

	if (!noted)
		return false;
	call = pprof_return_instances(current);
	while (call && call->stack < noted)
		call = call->next;
	if (noted >= sp && call && call->stack == noted && pprof_pending(call))
		return true;
	give_up_call(heap);
	return false;
}

static bool calls_others(u32 kind)
{
	return kind != PPROF_HEAP_MALLOC && kind != PPROF_HEAP_CALLOC &&
	       kind != PPROF_HEAP_NEW && kind != PPROF_HEAP_NEW_FAILS;
}

static bool is_awaited(u32 kind)
{
	return kind != PPROF_HEAP_FREE && kind != PPROF_HEAP_FAILS && kind != PPROF_HEAP_NEW;
}

static bool may_throw(u32 kind)
{
	return kind >= PPROF_HEAP_NEW;
}

/* A shadow stack has the awaited address too, so that not even FAILS could give it back. */
static bool may_await(u32 kind)
{
	return kind != PPROF_HEAP_NEW && !(may_throw(kind) && pprof_arch_has_shadow_stack());
}

/* Does a call wait on another stack that can't get its address back? */
static bool must_not_await(u32 kind, u64 sp)
{
	return (!is_awaited(kind) || pprof_arch_has_shadow_stack()) && pprof_pending_below(sp);
}

/* What it calls inside is not told from what it was called for: that tells. */
static void tell_if_alone(struct heap *heap, const struct pprof_call *call)
{
	if (call->weight && !calls_others(call->kind))
		tell(heap, call, PPROF_HEAP_NOT_AWAITED);
}

/*
 * Returns whether its return is wanted. Somebody else may want it, too, or all
 * returns of its function come: one that may throw is noted in any case, for settle().
 */
static bool begin_alloc(struct heap *heap, u32 kind, const struct pt_regs *regs)
{
	struct pprof_call call = {
		.tid = current->pid, .kind = kind, .sp = regs->sp, .object = regs->di,
	};
	bool elsewhere = must_not_await(kind, regs->sp), wanted;

	if (!elsewhere && is_inside(heap, regs->sp))
		return false;
	if (size_of(regs, kind, &call.size))
		call.weight = weight_of(heap, call.size);
	if (elsewhere || !may_await(kind)) {
		tell_if_alone(heap, &call);
		return false;
	}
	wanted = call.weight || calls_others(kind);
	if (!wanted && !(may_throw(kind) && pprof_calls_has_room(&heap->calls, call.tid)))
		return false;
	call.image = pprof_exec_id(current);
	if (kind == PPROF_HEAP_REALLOC && regs->di)
		call.number = pprof_live_take(&heap->live, regs->di, call.image);
	enter(heap, &call);
	return wanted;
}

/* The object's address, 0: there is none. False: it can't be read. */
static bool find_result(const struct pprof_call *call, const struct pt_regs *regs, u64 *address)
{
	*address = regs->ax;
	if (call->kind != PPROF_HEAP_POSIX_MEMALIGN)
		return true;
	*address = 0;
	return (int)regs->ax || !copy_from_user_nofault(address, (const void __user *)call->object,
							sizeof(*address));
}

/*
 * realloc() took the old object from the live as it began: once it has freed it,
 * its address may be another's.
 */
static void end_alloc(struct heap *heap, const struct pprof_call *call,
		      const struct pt_regs *regs)
{
	u64 address;

	if (!find_result(call, regs, &address)) {
		drop_call(heap, call);
		return;
	}
	if (call->number) {
		if (address || !call->size || !keep(heap, call->object, call->number))
			tell_free(heap, call->image, call->number);
	}
	if (call->weight && address)
		tell_object(heap, call, address);
}

/*
 * What a handler answers that wants no return; 0: it comes all the same. Of what may
 * throw, or has a shadow stack, it must not, as it is not noted, for FAILS and settle():
 * that would end the program. Rather, while these end, another's breakpoint may go.
 */
static int answer(const struct heap *heap, u32 kind, int verdict)
{
	if (may_throw(kind) || pprof_arch_has_shadow_stack())
		return verdict;
	return pprof_breakpoints_verdict(&heap->breakpoints, verdict);
}

static int begin_call(struct heap *heap, u32 kind, const struct pt_regs *regs, int unwanted)
{
	u64 image;

	pprof_ring_trapped(pprof_record_ring(heap->sink));
	switch (kind) {
	case PPROF_HEAP_FREE:
		image = pprof_exec_id(current);
		tell_free(heap, image, pprof_live_take(&heap->live, regs->di, image));
		return 0;
	case PPROF_HEAP_FAILS:
		give_up_call(heap);
		return 0;
	}
	return begin_alloc(heap, kind, regs) ? 0 : unwanted;
}

/* A breakpoint is as far into its page as it is in the file. */
static bool is_of_ours(const struct heap *heap, const struct return_instance *call)
{
	for (u32 i = 0; i < heap->breakpoints.nr; i++)
		if (!((heap->breakpoints.list[i].probe->offset ^ call->func) & ~PAGE_MASK))
			return true;
	return false;
}

static void reveal_ours(const struct heap *heap)
{
	const struct return_instance *call;

	for (call = pprof_return_instances(current); call; call = call->next)
		if (is_of_ours(heap, call))
			pprof_pending_reveal(call);
}

/*
 * Awaited calls get their return addresses back: before a throw ours, and those on
 * another stack whoever awaits them. A shadow stack keeps what it has, and nothing that
 * may throw is awaited there.
 */
static void reveal_calls(const struct heap *heap, u32 kind, u64 sp)
{
	if (pprof_arch_has_shadow_stack())
		return;
	if (kind == PPROF_HEAP_FAILS)
		reveal_ours(heap);
	else if (is_awaited(kind))
		pprof_pending_reveal_below(sp);
}

/*
 * Any context. Whoever has the memory besides (of vfork(), or a plain CLONE_VM) may
 * have become its owner, as the thread that was ended. Whose child it is that is being
 * forked, task_newtask tells only later: a stranger's loses them at its first call.
 */
static bool wants(struct heap *heap, struct mm_struct *mm)
{
	const struct pprof_target *target = heap->sink->target;
	struct task_struct *owner;
	bool has;

	if (!is_64bit_mm(mm))
		return false;
	rcu_read_lock();
	owner = pprof_mm_owner(mm);
	/* The state first: it is new until task_newtask has made it a target. */
	has = owner && ((target->children && pprof_task_state(owner) == TASK_NEW) ||
			pprof_target_has(target, owner));
	rcu_read_unlock();
	return has || (mm == current->mm && pprof_target_has(target, current));
}

DEFINE_UPROBE_FILTER(filter_mm)
static bool filter_mm(struct uprobe_consumer *self, struct mm_struct *mm)
{
	return wants(container_of(self, struct pprof_breakpoint, consumer)->owner, mm);
}

/*
 * A child of a target has the target's breakpoints in its copy of the memory, and
 * loses them at the first call. One of vfork() has not even a copy. Whoever it is may
 * be about to throw, or on another stack.
 */
DEFINE_UPROBE_HANDLER(note_entry)
static int note_entry(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data)
{
	struct pprof_breakpoint *breakpoint = container_of(self, struct pprof_breakpoint, consumer);
	struct heap *heap = breakpoint->owner;
	const struct pprof_probe *probe = breakpoint->probe;
	unsigned long flags;
	int verdict;

	reveal_calls(heap, probe->kind, regs->sp);
	if (!pprof_target_has(heap->sink->target, current)) {
		verdict = wants(heap, current->mm) ? UPROBE_HANDLER_IGNORE : UPROBE_HANDLER_REMOVE;
		return answer(heap, probe->kind, verdict);
	}
	if (may_throw(probe->kind) && is_awaited(probe->kind) &&
	    !pprof_breakpoints_are_there(&heap->breakpoints, PPROF_HEAP_FAILS, probe, regs->ip))
		return answer(heap, probe->kind, UPROBE_HANDLER_REMOVE);
	local_irq_save(flags);
	verdict = begin_call(heap, probe->kind, regs,
			     answer(heap, probe->kind, UPROBE_HANDLER_IGNORE));
	local_irq_restore(flags);
	return verdict;
}

/* The return address is taken off the stack, and the next instruction is the caller's. */
DEFINE_UPROBE_RET_HANDLER(note_return)
static int note_return(struct uprobe_consumer *self, unsigned long func, struct pt_regs *regs,
		       __u64 *data)
{
	struct heap *heap = container_of(self, struct pprof_breakpoint, consumer)->owner;
	struct pprof_call call;
	unsigned long flags;

	local_irq_save(flags);
	pprof_ring_trapped(pprof_record_ring(heap->sink));
	if (pprof_calls_leave(&heap->calls, current->pid, regs->sp - sizeof(u64), &call)) {
		if (call.image == pprof_exec_id(current))
			end_alloc(heap, &call, regs);
		else
			drop_call(heap, &call);
	}
	local_irq_restore(flags);
	return 0;
}

/* The thread that noted it; the caller puts it. NULL: it has ended, or executes another. */
static struct task_struct *find_caller(const struct pprof_call *call)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(call->tid, &init_pid_ns), PIDTYPE_PID);
	if (task && pprof_exec_id(task) == call->image)
		get_task_struct(task);
	else
		task = NULL;
	rcu_read_unlock();
	return task;
}

/*
 * Is another address on the stack than its own? One that returned, with nobody to
 * notice, may seem so until something else is written there. Nor does one that is not
 * in memory tell: it is not fetched, as a FUSE server may be who has it.
 */
static bool seems_awaited(const struct pprof_call *call)
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
	return !is_read || (word && pprof_awaited_maybe(word));
}

/*
 * Calls that may throw end, while none begins to be awaited any more. Not known is
 * one whose place another thread's call has: their tids are 4,096 apart.
 */
static void settle(struct pprof_breakpoints *breakpoints)
{
	struct heap *heap = container_of(breakpoints, struct heap, breakpoints);
	unsigned long end = jiffies + SETTLE_JIFFIES;
	struct pprof_call call;

	for (u32 i = 0; i < PPROF_CALLS_SLOTS; i++)
		while (time_before(jiffies, end) && pprof_calls_get(&heap->calls, i, &call) &&
		       may_throw(call.kind) && seems_awaited(&call))
			msleep(SETTLE_STEP_MS);
}

static void free_heap(struct heap *heap)
{
	pprof_calls_fini(&heap->calls);
	pprof_live_fini(&heap->live);
	free_percpu(heap->strata);
	kfree(heap);
}

static int fill_heap(struct heap *heap)
{
	int cpu, err;

	BUILD_BUG_ON(PPROF_MAX_HEAP_PERIOD > 1U << (NR_CLASSES - 1));
	heap->strata = alloc_percpu_gfp(struct strata_by_size,
					GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!heap->strata)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		for (int i = 0; i < NR_CLASSES; i++)
			pprof_strata_init(&per_cpu_ptr(heap->strata, cpu)->classes[i],
					  heap->period, get_random_u32());
	err = pprof_live_init(&heap->live, object_is_gone);
	return err ? err : pprof_calls_init(&heap->calls);
}

static void fill_breakpoints(struct heap *heap, const struct pprof_probes *probes)
{
	for (u32 i = 0; i < probes->nr; i++) {
		struct pprof_breakpoint *breakpoint = &heap->breakpoints.list[i];

		breakpoint->owner = heap;
		breakpoint->probe = &probes->list[i];
		breakpoint->consumer.handler = note_entry_hook;
		breakpoint->consumer.filter = filter_mm_hook;
		if (is_awaited(breakpoint->probe->kind))
			breakpoint->consumer.ret_handler = note_return_hook;
		if (breakpoint->probe->kind <= PPROF_HEAP_FAILS)
			heap->breakpoints.nr_last = i + 1;
	}
	heap->breakpoints.nr = probes->nr;
	heap->breakpoints.settle = settle;
}

/* Nothing that they feed goes before all of them have ended. */
static void stop(void *state)
{
	struct heap *heap = state;

	pprof_breakpoints_clear(&heap->breakpoints);
	free_heap(heap);
}

static int start(struct pprof_sink *sink, u64 period, void **state)
{
	struct heap *heap;
	int err;

	if (!period || period > PPROF_MAX_HEAP_PERIOD || !sink->probes)
		return -EINVAL;
	heap = kzalloc(struct_size(heap, breakpoints.list, sink->probes->nr), GFP_KERNEL_ACCOUNT);
	if (!heap)
		return -ENOMEM;
	heap->sink = sink;
	heap->period = period;
	fill_breakpoints(heap, sink->probes);
	err = fill_heap(heap);
	if (err) {
		free_heap(heap);
		return err;
	}
	err = pprof_breakpoints_set(&heap->breakpoints);
	if (err) {
		stop(heap);
		return err;
	}
	*state = heap;
	return 0;
}

const struct pprof_source pprof_src_heap = {
	.start = start,
	.stop = stop,
};
