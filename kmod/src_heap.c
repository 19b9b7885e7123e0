// SPDX-License-Identifier: GPL-2.0
/*
 * Source heap: what programs allocate and do not free, by breakpoints (uprobes)
 * in the functions of their allocator.
 *
 * Of objects smaller than a period one is sampled for each period of their bytes,
 * as in src_growth.c; larger ones all are. Each power of two has periods of its own,
 * so that the number of objects is as true as that of bytes, however sizes are
 * mixed. Go has an exponential distance between samples and scales by
 * 1/(1-exp(-size/rate)): that has the same mean for each object, and for a thousand
 * samples an error of 3 %.
 *
 * A call costs a trap, and another one if its return is awaited too. So of
 * malloc() and calloc() only those returns are that a sample is due at, where the
 * kernel can tell (6.12). What else allocates may call malloc() inside, whose
 * object is then its own: there all are.
 */
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "awaited.h"
#include "breakpoints.h"
#include "calls.h"
#include "live.h"
#include "source.h"
#include "strata.h"

/* Sizes of so many bits are below a period. */
#define NR_CLASSES	31

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
	gone = !leader || pprof_record_image(leader) != object->image;
	rcu_read_unlock();
	return gone;
}

/* All from here to note_return(): current is at a breakpoint; interrupts are off. */

static void tell_free(struct heap *heap, u64 number)
{
	struct pprof_free *record;

	if (!number)
		return;
	record = pprof_record_life(heap->sink, current, PPROF_REC_FREE, sizeof(*record));
	if (!record)
		return;
	record->object = number;
	pprof_record_commit(heap->sink, record);
}

/* False: there is no place for it. */
static bool keep(struct heap *heap, u64 address, u64 number)
{
	const struct pprof_live_object object = {
		.address = address, .number = number, .tgid = current->tgid,
		.image = pprof_record_image(current),
	};
	u64 stale;

	if (!pprof_live_add(&heap->live, &object, &stale))
		return false;
	tell_free(heap, stale);
	return true;
}

/*
 * Nobody but current knows the object yet. What has no place, or no sample in
 * the ring, is not kept: it would never be told that it is freed, or be freed
 * without having been told.
 */
static void tell_object(struct heap *heap, const struct pprof_call *call, u64 address)
{
	struct pprof_happening what = {
		.source = PPROF_SOURCE_HEAP, .weight = call->weight, .value = call->size,
		.arg = atomic64_inc_return(&heap->sink->last_object),
		.time_ns = ktime_get_mono_fast_ns(),
	};

	if (!keep(heap, address, what.arg))
		pprof_record_lost(heap->sink, what.source, what.weight, PPROF_LOST_QUEUE);
	else if (!pprof_record_sample(heap->sink, &what))
		pprof_live_take(&heap->live, address, call->image);
}

/* Nobody will know where it is. */
static void tell_untracked(struct heap *heap, const struct pprof_call *call)
{
	const struct pprof_happening what = {
		.source = PPROF_SOURCE_HEAP, .weight = call->weight, .value = call->size,
		.time_ns = ktime_get_mono_fast_ns(),
	};

	pprof_record_sample(heap->sink, &what);
}

static bool size_of(const struct pt_regs *regs, u32 kind, u64 *size)
{
	switch (kind) {
	case PPROF_HEAP_MALLOC:
	case PPROF_HEAP_VALLOC:
	case PPROF_HEAP_NEW:
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

/* Whether it still awaits its return: longjmp() leaves without one. */
static bool is_pending(const struct return_instance *call)
{
	const struct return_instance *from = call;
	u64 word;

	return !copy_from_user_nofault(&word, (const void __user *)call->stack, sizeof(word)) &&
	       pprof_awaited_is_hidden(&from, call->stack, word);
}

/*
 * Is this a call of one of the allocator's functions by another? The one that is
 * noted still waits for its return, and is further up in the stack, or is where it
 * was if it jumped here. Where all returns are awaited (6.1) others may be between.
 */
static bool is_inside(struct heap *heap, u64 sp)
{
	const struct return_instance *call = pprof_return_instances(current);
	u64 noted = call ? pprof_calls_sp(&heap->calls, current->pid) : 0;

	if (noted < sp)
		return false;
	while (call && call->stack < noted)
		call = call->next;
	return call && call->stack == noted && is_pending(call);
}

/* How it ended will not be known. */
static void drop_call(struct heap *heap, const struct pprof_call *call)
{
	tell_free(heap, call->number);
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

static bool calls_others(u32 kind)
{
	return kind != PPROF_HEAP_MALLOC && kind != PPROF_HEAP_CALLOC && kind != PPROF_HEAP_NEW;
}

/* What was awaited is not, from now on. */
static void give_up_call(struct heap *heap)
{
	u64 sp = pprof_calls_sp(&heap->calls, current->pid);
	struct pprof_call call;

	if (sp && pprof_calls_leave(&heap->calls, current->pid, sp, &call))
		drop_call(heap, &call);
}

/* Returns whether its return is awaited. */
static bool begin_alloc(struct heap *heap, u32 kind, const struct pt_regs *regs)
{
	struct pprof_call call = {
		.tid = current->pid, .kind = kind, .sp = regs->sp, .object = regs->di,
	};

	if (!size_of(regs, kind, &call.size) || is_inside(heap, regs->sp))
		return false;
	call.weight = weight_of(heap, call.size);
	if (kind == PPROF_HEAP_NEW && call.weight)
		tell_untracked(heap, &call);
	if (kind == PPROF_HEAP_NEW || (!call.weight && !calls_others(kind)))
		return false;
	call.image = pprof_record_image(current);
	if (kind == PPROF_HEAP_REALLOC && regs->di)
		call.number = pprof_live_take(&heap->live, regs->di, call.image);
	enter(heap, &call);
	return true;
}

/* The object's address, 0: there is none. */
static u64 result_of(const struct pprof_call *call, const struct pt_regs *regs)
{
	u64 address;

	if (call->kind != PPROF_HEAP_POSIX_MEMALIGN)
		return regs->ax;
	if ((int)regs->ax ||
	    copy_from_user_nofault(&address, (const void __user *)call->object, sizeof(address)))
		return 0;
	return address;
}

/*
 * realloc() took the old object from the live as it began: once it has freed it,
 * its address may be another's.
 */
static void end_alloc(struct heap *heap, const struct pprof_call *call,
		      const struct pt_regs *regs)
{
	u64 address = result_of(call, regs);

	if (call->number) {
		if (address || !call->size || !keep(heap, call->object, call->number))
			tell_free(heap, call->number);
	}
	if (call->weight && address)
		tell_object(heap, call, address);
}

static int begin_call(struct heap *heap, u32 kind, const struct pt_regs *regs)
{
	pprof_ring_trapped(pprof_record_ring(heap->sink));
	switch (kind) {
	case PPROF_HEAP_FREE:
		tell_free(heap, pprof_live_take(&heap->live, regs->di,
						pprof_record_image(current)));
		return 0;
	case PPROF_HEAP_FAILS:
		give_up_call(heap);
		return 0;
	}
	return begin_alloc(heap, kind, regs) ? 0 : UPROBE_HANDLER_IGNORE;
}

/* A breakpoint is as far into its page as it is in the file. */
static bool is_of_ours(const struct heap *heap, const struct return_instance *call)
{
	for (u32 i = 0; i < heap->breakpoints.nr; i++)
		if (!((heap->breakpoints.list[i].probe->offset ^ call->func) & ~PAGE_MASK))
			return true;
	return false;
}

/*
 * Current may be about to throw an exception through awaited calls: they get their
 * return addresses back, as if nobody awaited them. The kernel finds out as after a
 * longjmp(). Interrupts are on: it may fault, as this may be a part of the stack that
 * was not touched for long.
 */
static void reveal_calls(const struct heap *heap)
{
	const struct return_instance *call, *from;
	u64 word;

	for (call = pprof_return_instances(current); call; call = call->next) {
		from = call;
		if (is_of_ours(heap, call) &&
		    !get_user(word, (u64 __user *)call->stack) &&
		    pprof_awaited_is_hidden(&from, call->stack, word))
			put_user((u64)call->orig_ret_vaddr, (u64 __user *)call->stack);
	}
}

/* Any context: nobody but its owner's process has the memory, or it has ended. */
static bool wants(struct heap *heap, struct mm_struct *mm)
{
	struct task_struct *owner;
	bool has;

	rcu_read_lock();
	owner = pprof_mm_owner(mm);
	has = owner && pprof_target_has(heap->sink->target, owner);
	rcu_read_unlock();
	return has;
}

DEFINE_UPROBE_FILTER(filter_mm)
static bool filter_mm(struct uprobe_consumer *self, struct mm_struct *mm)
{
	return wants(container_of(self, struct pprof_breakpoint, consumer)->owner, mm);
}

/*
 * A child of a target has the target's breakpoints in its copy of the memory, and
 * loses them at the first call. One of vfork() has not even a copy.
 */
DEFINE_UPROBE_HANDLER(note_entry)
static int note_entry(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data)
{
	struct pprof_breakpoint *breakpoint = container_of(self, struct pprof_breakpoint, consumer);
	struct heap *heap = breakpoint->owner;
	unsigned long flags;
	int verdict;

	if (pprof_target_has(heap->sink->target, current)) {
		if (breakpoint->probe->kind == PPROF_HEAP_FAILS)
			reveal_calls(heap);
		local_irq_save(flags);
		verdict = begin_call(heap, breakpoint->probe->kind, regs);
		local_irq_restore(flags);
	} else {
		verdict = wants(heap, current->mm) ? UPROBE_HANDLER_IGNORE : UPROBE_HANDLER_REMOVE;
	}
	return pprof_breakpoints_verdict(&heap->breakpoints, verdict);
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
	if (pprof_calls_leave(&heap->calls, current->pid, regs->sp - sizeof(u64), &call) &&
	    call.image == pprof_record_image(current))
		end_alloc(heap, &call, regs);
	local_irq_restore(flags);
	return 0;
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

static bool is_awaited(u32 kind)
{
	return kind != PPROF_HEAP_FREE && kind != PPROF_HEAP_FAILS && kind != PPROF_HEAP_NEW;
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
	}
	heap->breakpoints.nr = probes->nr;
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
	if (!err)
		err = pprof_breakpoints_set(&heap->breakpoints);
	if (err) {
		free_heap(heap);
		return err;
	}
	*state = heap;
	return 0;
}

/* Nothing that they feed goes before all of them have ended. */
static void stop(void *state)
{
	struct heap *heap = state;

	pprof_breakpoints_clear(&heap->breakpoints);
	free_heap(heap);
}

const struct pprof_source pprof_src_heap = {
	.start = start,
	.stop = stop,
};
