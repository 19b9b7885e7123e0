// SPDX-License-Identifier: GPL-2.0
#include "heap/allocator_calls.h"

#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "arch/regs.h"
#include "arch/shadow_stack.h"
#include "heap/uretprobe_stack.h"

bool pprof_heap_object_is_gone(const struct pprof_live_object *object)
{
	struct task_struct *leader;
	bool gone;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(object->tgid, &init_pid_ns), PIDTYPE_TGID);
	gone = !leader || pprof_exec_id(leader) != object->exec_id;
	rcu_read_unlock();
	return gone;
}

void pprof_heap_emit_free(struct pprof_heap_source *heap, u64 exec_id, u64 number)
{
	struct pprof_free *record;

	if (!number)
		return;
	record = pprof_record_event(heap->sink, current, PPROF_REC_FREE, sizeof(*record));
	if (!record)
		return;
	record->ev.exec_id = exec_id;
	record->object = number;
	pprof_record_commit(heap->sink, record);
}

/* Returns: false if the table has no free slot. */
static bool keep(struct pprof_heap_source *heap, u64 address, u64 number)
{
	const struct pprof_live_object object = {
		.address = address, .number = number, .tgid = current->tgid,
		.exec_id = pprof_exec_id(current),
	};
	u64 stale;

	if (!pprof_live_objects_add(&heap->live, &object, &stale))
		return false;
	pprof_heap_emit_free(heap, object.exec_id, stale);
	return true;
}

static bool emit(struct pprof_heap_source *heap, const struct pprof_pending_call *call, u64 number)
{
	const struct pprof_sample_info info = {
		.source = PPROF_SOURCE_HEAP, .weight = call->weight, .value = call->size,
		.arg = number, .time_ns = ktime_get_mono_fast_ns(),
	};

	return pprof_record_sample(heap->sink, &info);
}

/*
 * Only current knows the object yet. An object is not kept if the ring lost its sample: no
 * PPROF_REC_FREE may come without its sample.
 */
static void emit_object(struct pprof_heap_source *heap, const struct pprof_pending_call *call,
			u64 address)
{
	u64 number = atomic64_inc_return(&heap->sink->last_object);

	if (!keep(heap, address, number))
		emit(heap, call, PPROF_HEAP_UNTRACKED);
	else if (!emit(heap, call, number))
		pprof_live_objects_take(&heap->live, address, call->exec_id);
}

static bool size_of(struct pt_regs *regs, u32 function, u64 *size)
{
	switch (function) {
	case PPROF_HEAP_MALLOC:
	case PPROF_HEAP_VALLOC:
	case PPROF_HEAP_NEW:
	case PPROF_HEAP_NEW_HANDLED:
	case PPROF_HEAP_NEW_ALIGNED:
		*size = pprof_arch_arg(regs, 0);
		break;
	case PPROF_HEAP_CALLOC:
	case PPROF_HEAP_OUTER_CALLOC:
		if (check_mul_overflow(pprof_arch_arg(regs, 0), pprof_arch_arg(regs, 1), size))
			return false;
		break;
	case PPROF_HEAP_POSIX_MEMALIGN:
		*size = pprof_arch_arg(regs, 2);
		break;
	default:
		*size = pprof_arch_arg(regs, 1);
	}
	return *size < TASK_SIZE_MAX;	/* else any allocator fails */
}

static u64 weight_of(struct pprof_heap_source *heap, u64 size)
{
	struct pprof_heap_strata *strata = this_cpu_ptr(heap->strata);

	if (size >= heap->period)
		return 1;
	return pprof_stratified_take(&strata->classes[fls64(size)], heap->period, size);
}

void pprof_heap_drop_call(struct pprof_heap_source *heap, const struct pprof_pending_call *call)
{
	pprof_heap_emit_free(heap, call->exec_id, call->number);
	if (call->weight)
		pprof_record_lost(heap->sink, PPROF_SOURCE_HEAP, call->weight, PPROF_LOST_QUEUE);
}

static void enter(struct pprof_heap_source *heap, const struct pprof_pending_call *call)
{
	struct pprof_pending_call left;

	pprof_pending_calls_enter(&heap->calls, call, &left);
	if (left.tid)
		pprof_heap_drop_call(heap, &left);
}

void pprof_heap_give_up_call(struct pprof_heap_source *heap)
{
	u64 sp = pprof_pending_calls_sp(&heap->calls, current->pid);
	struct pprof_pending_call call;

	if (sp && pprof_pending_calls_leave(&heap->calls, current->pid, sp, &call))
		pprof_heap_drop_call(heap, &call);
}

/*
 * Does another function of the allocator make this call? Then that outer call still has its
 * uretprobe. Its return address is above @sp, or at @sp if it jumped here. Before 6.12 all calls
 * have a uretprobe. So the list may have others before the outer call.
 *
 * The thread may have left the noted call without a return. That call is given up: it must not take
 * the return of another call for its own.
 */
static bool is_inside(struct pprof_heap_source *heap, u64 sp)
{
	u64 noted = pprof_pending_calls_sp(&heap->calls, current->pid);
	const struct return_instance *call;

	if (!noted)
		return false;
	call = pprof_return_instances(current);
	while (call && call->stack < noted)
		call = call->next;
	if (noted >= sp && call && call->stack == noted && pprof_uretprobe_stack_has(call))
		return true;
	pprof_heap_give_up_call(heap);
	return false;
}

static bool calls_others(u32 function)
{
	return function != PPROF_HEAP_MALLOC && function != PPROF_HEAP_CALLOC &&
	       function != PPROF_HEAP_NEW && function != PPROF_HEAP_NEW_HANDLED;
}

/* A shadow stack has the replaced address, too. Not even NEW_HANDLER could put it back. */
static bool may_get_uretprobe(u32 function)
{
	return function != PPROF_HEAP_NEW &&
	       !(pprof_heap_may_throw(function) && pprof_arch_has_shadow_stack());
}

/*
 * Does a call on another stack still have a uretprobe? pprof_heap_restore_returns() puts addresses
 * back only at a function with a uretprobe, and not if there is a shadow stack.
 */
static bool must_not_get_uretprobe(u32 function, u64 sp)
{
	return (!pprof_heap_has_uretprobe(function) || pprof_arch_has_shadow_stack()) &&
	       pprof_uretprobe_stack_has_below(sp);
}

/*
 * Some functions call others. Without an entry the inner call looks like any other, and is sampled
 * itself. So the outer call is not sampled.
 */
static void emit_if_alone(struct pprof_heap_source *heap, const struct pprof_pending_call *call)
{
	if (call->weight && !calls_others(call->function))
		emit(heap, call, PPROF_HEAP_NO_URETPROBE);
}

/*
 * The call may get a uretprobe that it did not ask for: before 6.12, or for another user of
 * uprobes. So a call that may throw gets an entry for pprof_heap_settle(), unless that would push
 * out the call of another thread.
 */
static bool may_enter(struct pprof_heap_source *heap, const struct pprof_pending_call *call)
{
	return pprof_heap_may_throw(call->function) &&
	       pprof_pending_calls_has_room(&heap->calls, call->tid);
}

bool pprof_heap_begin_alloc(struct pprof_heap_source *heap, u32 function, struct pt_regs *regs)
{
	struct pprof_pending_call call = {
		.tid = current->pid, .function = function,
		.sp = user_stack_pointer(regs), .object = pprof_arch_arg(regs, 0),
	};
	bool elsewhere = must_not_get_uretprobe(function, call.sp), wanted;

	if (!elsewhere && is_inside(heap, call.sp))
		return false;
	if (size_of(regs, function, &call.size))
		call.weight = weight_of(heap, call.size);
	if (elsewhere || !may_get_uretprobe(function)) {
		emit_if_alone(heap, &call);
		return false;
	}
	wanted = call.weight || calls_others(function);
	if (!wanted && !may_enter(heap, &call))
		return false;
	call.exec_id = pprof_exec_id(current);
	if (function == PPROF_HEAP_REALLOC && call.object)
		call.number = pprof_live_objects_take(&heap->live, call.object, call.exec_id);
	enter(heap, &call);
	return wanted;
}

/* Finds the address of the object; 0: none. Returns: false if it cannot be read. */
static bool find_result(const struct pprof_pending_call *call, struct pt_regs *regs,
			u64 *address)
{
	*address = regs_return_value(regs);
	if (call->function != PPROF_HEAP_POSIX_MEMALIGN)
		return true;
	*address = 0;
	return (int)regs_return_value(regs) ||
	       !copy_from_user_nofault(address, (const void __user *)call->object,
				       sizeof(*address));
}

/*
 * pprof_heap_begin_alloc() removed the old object of realloc() from the table. Once realloc() has
 * freed it, its address may be that of another object.
 */
void pprof_heap_end_alloc(struct pprof_heap_source *heap, const struct pprof_pending_call *call,
			  struct pt_regs *regs)
{
	u64 address;

	if (!find_result(call, regs, &address)) {
		pprof_heap_drop_call(heap, call);
		return;
	}
	if (call->number) {
		if (address || !call->size || !keep(heap, call->object, call->number))
			pprof_heap_emit_free(heap, call->exec_id, call->number);
	}
	if (call->weight && address)
		emit_object(heap, call, address);
}
