// SPDX-License-Identifier: GPL-2.0
/*
 * Source HEAP: objects that programs allocate and do not free, by uprobes in their allocator.
 *
 * Objects smaller than a period are sampled once for each period of their bytes, as in
 * source/growth.c. Larger ones are all sampled. Each power of two of sizes has its own strata. So
 * the number of objects is as exact as that of bytes, for any mix of sizes. Go has exponential
 * distances between samples, and scales by 1/(1-exp(-size/rate)). That has the same mean for each
 * object, and an error of 3 % for a thousand samples.
 *
 * A call costs a trap, and a second one if it has a uretprobe. So malloc() and calloc() get one
 * only when a sample is due, where the kernel can choose (6.12). Other functions may call malloc()
 * inside, and its object is then theirs. So they always get one.
 *
 * A C++ exception that passes a call with a uretprobe ends the program. So a function that may
 * throw gets one only while a uprobe is in NEW_HANDLER, which puts the return addresses back. That
 * uprobe stays until the last such call has ended. Rejected:
 * - No uretprobe: jemalloc's operator new calls no other function that could have one. So live
 *   objects would not be known.
 * - Another thread puts the addresses back: another call may be at that place by then.
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

/* Sizes with fewer bits than this are below a period. */
#define NR_CLASSES	31

/*
 * The bound on the wait for all calls that may throw. A call that takes longer, as its thread is
 * stopped, may return, but must not throw.
 */
#define SETTLE_JIFFIES	(2 * HZ)
#define SETTLE_STEP_MS	5

struct heap;

struct stratified_by_size {
	struct pprof_stratified classes[NR_CLASSES];
};

struct heap {
	struct pprof_sink *sink;
	u32 period;
	struct stratified_by_size __percpu *strata;
	struct pprof_live live;
	struct pprof_pending_calls calls;
	struct pprof_uprobes uprobes;	/* last: it has a flexible array */
};

/* The process of an object may have ended long ago. */
static bool object_is_gone(const struct pprof_live_object *object)
{
	struct task_struct *leader;
	bool gone;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(object->tgid, &init_pid_ns), PIDTYPE_TGID);
	gone = !leader || pprof_exec_id(leader) != object->exec_id;
	rcu_read_unlock();
	return gone;
}

/* From here to note_return(): current is at a uprobe. Context: interrupts off. */

static void emit_free(struct heap *heap, u64 exec_id, u64 number)
{
	struct pprof_free *record;

	if (!number)
		return;
	record = pprof_record_event(heap->sink, current, PPROF_REC_FREE, sizeof(*record));
	if (!record)
		return;
	record->ev.exec_id = exec_id;	/* the exec id of the object: current's may differ */
	record->object = number;
	pprof_record_commit(heap->sink, record);
}

/* Returns: false if the table has no place. */
static bool keep(struct heap *heap, u64 address, u64 number)
{
	const struct pprof_live_object object = {
		.address = address, .number = number, .tgid = current->tgid,
		.exec_id = pprof_exec_id(current),
	};
	u64 stale;

	if (!pprof_live_objects_add(&heap->live, &object, &stale))
		return false;
	emit_free(heap, object.exec_id, stale);
	return true;
}

static bool emit(struct heap *heap, const struct pprof_pending_call *call, u64 number)
{
	const struct pprof_sample_info what = {
		.source = PPROF_SOURCE_HEAP, .weight = call->weight, .value = call->size,
		.arg = number, .time_ns = ktime_get_mono_fast_ns(),
	};

	return pprof_record_sample(heap->sink, &what);
}

/*
 * Only current knows the object yet. An object is not kept if the ring lost its sample, or if it
 * has no place: no PPROF_REC_FREE may come without its sample.
 */
static void emit_object(struct heap *heap, const struct pprof_pending_call *call, u64 address)
{
	u64 number = atomic64_inc_return(&heap->sink->last_object);

	if (!keep(heap, address, number))
		emit(heap, call, PPROF_HEAP_UNTRACKED);
	else if (!emit(heap, call, number))
		pprof_live_objects_take(&heap->live, address, call->exec_id);
}

static bool size_of(const struct pt_regs *regs, u32 kind, u64 *size)
{
	switch (kind) {
	case PPROF_HEAP_MALLOC:
	case PPROF_HEAP_VALLOC:
	case PPROF_HEAP_NEW:
	case PPROF_HEAP_NEW_HANDLED:
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
	return *size < TASK_SIZE_MAX;	/* else any allocator fails */
}

static u64 weight_of(struct heap *heap, u64 size)
{
	struct stratified_by_size *strata = this_cpu_ptr(heap->strata);

	if (size >= heap->period)
		return 1;
	return pprof_stratified_take(&strata->classes[fls64(size)], heap->period, size);
}

/* Its result will not be known. */
static void drop_call(struct heap *heap, const struct pprof_pending_call *call)
{
	emit_free(heap, call->exec_id, call->number);
	if (call->weight)
		pprof_record_lost(heap->sink, PPROF_SOURCE_HEAP, call->weight, PPROF_LOST_QUEUE);
}

static void enter(struct heap *heap, const struct pprof_pending_call *call)
{
	struct pprof_pending_call left;

	pprof_pending_calls_enter(&heap->calls, call, &left);
	if (left.tid)
		drop_call(heap, &left);
}

/* The call loses its entry, as it will not return. */
static void give_up_call(struct heap *heap)
{
	u64 sp = pprof_pending_calls_sp(&heap->calls, current->pid);
	struct pprof_pending_call call;

	if (sp && pprof_pending_calls_leave(&heap->calls, current->pid, sp, &call))
		drop_call(heap, &call);
}

/*
 * Does one of the allocator's functions make this call? Then the outer call still has its
 * uretprobe, and is further up in the stack, or at the same place if it jumped here. Before 6.12
 * all calls have a uretprobe, and other calls may be between. A call that was left is given up: it
 * must not take another's return for its own.
 */
static bool is_inside(struct heap *heap, u64 sp)
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
	give_up_call(heap);
	return false;
}

static bool calls_others(u32 kind)
{
	return kind != PPROF_HEAP_MALLOC && kind != PPROF_HEAP_CALLOC &&
	       kind != PPROF_HEAP_NEW && kind != PPROF_HEAP_NEW_HANDLED;
}

static bool has_uretprobe(u32 kind)
{
	return kind != PPROF_HEAP_FREE && kind != PPROF_HEAP_NEW_HANDLER && kind != PPROF_HEAP_NEW;
}

static bool may_throw(u32 kind)
{
	return kind >= PPROF_HEAP_NEW;
}

/* A shadow stack has the replaced address, too. Not even NEW_HANDLER could put it back. */
static bool may_await(u32 kind)
{
	return kind != PPROF_HEAP_NEW && !(may_throw(kind) && pprof_arch_has_shadow_stack());
}

/* Has a call on another stack a uretprobe, and cannot get its address back? */
static bool must_not_await(u32 kind, u64 sp)
{
	return (!has_uretprobe(kind) || pprof_arch_has_shadow_stack()) &&
	       pprof_uretprobe_stack_has_below(sp);
}

/* The inner call of such a function cannot be distinguished, and is sampled itself. */
static void emit_if_alone(struct heap *heap, const struct pprof_pending_call *call)
{
	if (call->weight && !calls_others(call->kind))
		emit(heap, call, PPROF_HEAP_NO_URETPROBE);
}

/*
 * Returns whether this source needs the return. All returns of the function may come, also for
 * another user of uprobes. So a call that may throw always gets an entry, for settle().
 */
static bool begin_alloc(struct heap *heap, u32 kind, const struct pt_regs *regs)
{
	struct pprof_pending_call call = {
		.tid = current->pid, .kind = kind, .sp = regs->sp, .object = regs->di,
	};
	bool elsewhere = must_not_await(kind, regs->sp), wanted;

	if (!elsewhere && is_inside(heap, regs->sp))
		return false;
	if (size_of(regs, kind, &call.size))
		call.weight = weight_of(heap, call.size);
	if (elsewhere || !may_await(kind)) {
		emit_if_alone(heap, &call);
		return false;
	}
	wanted = call.weight || calls_others(kind);
	if (!wanted && !(may_throw(kind) && pprof_pending_calls_has_room(&heap->calls, call.tid)))
		return false;
	call.exec_id = pprof_exec_id(current);
	if (kind == PPROF_HEAP_REALLOC && regs->di)
		call.number = pprof_live_objects_take(&heap->live, regs->di, call.exec_id);
	enter(heap, &call);
	return wanted;
}

/* Finds the address of the object; 0: none. Returns: false if it cannot be read. */
static bool find_result(const struct pprof_pending_call *call, const struct pt_regs *regs,
			u64 *address)
{
	*address = regs->ax;
	if (call->kind != PPROF_HEAP_POSIX_MEMALIGN)
		return true;
	*address = 0;
	return (int)regs->ax || !copy_from_user_nofault(address, (const void __user *)call->object,
							sizeof(*address));
}

/*
 * realloc() removed the old object from the table as it began. Once realloc() has freed it, its
 * address may be that of another object.
 */
static void end_alloc(struct heap *heap, const struct pprof_pending_call *call,
		      const struct pt_regs *regs)
{
	u64 address;

	if (!find_result(call, regs, &address)) {
		drop_call(heap, call);
		return;
	}
	if (call->number) {
		if (address || !call->size || !keep(heap, call->object, call->number))
			emit_free(heap, call->exec_id, call->number);
	}
	if (call->weight && address)
		emit_object(heap, call, address);
}

/*
 * Returns the answer of a handler that needs no return; 0: it comes all the same. A call that may
 * throw, or with a shadow stack, must not get a uretprobe. It has no entry for NEW_HANDLER and
 * settle(): the program would end. So there, during removal, the uprobe of another user may go.
 */
static int answer(const struct heap *heap, u32 kind, int verdict)
{
	if (may_throw(kind) || pprof_arch_has_shadow_stack())
		return verdict;
	return pprof_uprobes_verdict(&heap->uprobes, verdict);
}

static int begin_call(struct heap *heap, u32 kind, const struct pt_regs *regs, int unwanted)
{
	u64 exec_id;

	pprof_ring_trapped(pprof_record_ring(heap->sink));
	switch (kind) {
	case PPROF_HEAP_FREE:
		exec_id = pprof_exec_id(current);
		emit_free(heap, exec_id, pprof_live_objects_take(&heap->live, regs->di, exec_id));
		return 0;
	case PPROF_HEAP_NEW_HANDLER:
		give_up_call(heap);
		return 0;
	}
	return begin_alloc(heap, kind, regs) ? 0 : unwanted;
}

/* A uprobe has the same offset in its page as in the file. */
static bool is_of_ours(const struct heap *heap, const struct return_instance *call)
{
	for (u32 i = 0; i < heap->uprobes.nr; i++)
		if (!((heap->uprobes.list[i].probe->offset ^ call->func) & ~PAGE_MASK))
			return true;
	return false;
}

static void reveal_ours(const struct heap *heap)
{
	const struct return_instance *call;

	for (call = pprof_return_instances(current); call; call = call->next)
		if (is_of_ours(heap, call))
			pprof_uretprobe_stack_restore(call);
}

/*
 * Put return addresses back: before a throw, those of this source; on another stack, those of all
 * users of uprobes. A shadow stack keeps its copies, but no call that may throw has a uretprobe
 * there.
 */
static void restore_returns(const struct heap *heap, u32 kind, u64 sp)
{
	if (pprof_arch_has_shadow_stack())
		return;
	if (kind == PPROF_HEAP_NEW_HANDLER)
		reveal_ours(heap);
	else if (has_uretprobe(kind))
		pprof_uretprobe_stack_restore_below(sp);
}

/*
 * Is the memory that of a target? A task that shares it (by vfork(), or a plain CLONE_VM) may have
 * become its owner after a thread ended. In a fork this comes before task_newtask. So every new
 * child counts as that of a target, and loses its uprobes at its first call if it is not.
 * Context: any.
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
	/* The state first: it is TASK_NEW until task_newtask has made it a target. */
	has = owner && ((target->children && pprof_task_state(owner) == TASK_NEW) ||
			pprof_target_has(target, owner));
	rcu_read_unlock();
	return has || (mm == current->mm && pprof_target_has(target, current));
}

DEFINE_UPROBE_FILTER(filter_mm)
static bool filter_mm(struct uprobe_consumer *self, struct mm_struct *mm)
{
	return wants(container_of(self, struct pprof_uprobe, consumer)->owner, mm);
}

/*
 * The child of a target has copies of its uprobes. A child that is no target loses them at the
 * first call. A child of vfork() has no copy of its own. Any of them may be about to throw, or on
 * another stack.
 */
DEFINE_UPROBE_HANDLER(note_entry)
static int note_entry(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data)
{
	struct pprof_uprobe *uprobe = container_of(self, struct pprof_uprobe, consumer);
	struct heap *heap = uprobe->owner;
	const struct pprof_probe *probe = uprobe->probe;
	unsigned long flags;
	int verdict;

	restore_returns(heap, probe->kind, regs->sp);
	if (!pprof_target_has(heap->sink->target, current)) {
		verdict = wants(heap, current->mm) ? UPROBE_HANDLER_IGNORE : UPROBE_HANDLER_REMOVE;
		return answer(heap, probe->kind, verdict);
	}
	if (may_throw(probe->kind) && has_uretprobe(probe->kind) &&
	    !pprof_uprobes_are_installed(&heap->uprobes, PPROF_HEAP_NEW_HANDLER, probe, regs->ip))
		return answer(heap, probe->kind, UPROBE_HANDLER_REMOVE);
	local_irq_save(flags);
	verdict = begin_call(heap, probe->kind, regs,
			     answer(heap, probe->kind, UPROBE_HANDLER_IGNORE));
	local_irq_restore(flags);
	return verdict;
}

/* The return address is off the stack, and the next instruction is that of the caller. */
DEFINE_UPROBE_RET_HANDLER(note_return)
static int note_return(struct uprobe_consumer *self, unsigned long func, struct pt_regs *regs,
		       __u64 *data)
{
	struct heap *heap = container_of(self, struct pprof_uprobe, consumer)->owner;
	struct pprof_pending_call call;
	unsigned long flags;

	local_irq_save(flags);
	pprof_ring_trapped(pprof_record_ring(heap->sink));
	if (pprof_pending_calls_leave(&heap->calls, current->pid, regs->sp - sizeof(u64), &call)) {
		if (call.exec_id == pprof_exec_id(current))
			end_alloc(heap, &call, regs);
		else
			drop_call(heap, &call);
	}
	local_irq_restore(flags);
	return 0;
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
 * Is another address than its own on the stack? It may also be left of a return that no handler
 * saw, until the word is overwritten. A page that is not in memory is not fetched: a FUSE server
 * may have it. It counts as true.
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
 * Waits for calls that may throw, while no new one gets a uretprobe. A call whose slot another
 * thread has taken is not known: their tids differ by a multiple of 4,096.
 */
static void settle(struct pprof_uprobes *uprobes)
{
	struct heap *heap = container_of(uprobes, struct heap, uprobes);
	unsigned long end = jiffies + SETTLE_JIFFIES;
	struct pprof_pending_call call;

	for (u32 i = 0; i < PPROF_PENDING_CALLS_SLOTS; i++)
		while (time_before(jiffies, end) &&
		       pprof_pending_calls_get(&heap->calls, i, &call) && may_throw(call.kind) &&
		       seems_uretprobe(&call))
			msleep(SETTLE_STEP_MS);
}

static void free_heap(struct heap *heap)
{
	pprof_pending_calls_fini(&heap->calls);
	pprof_live_objects_fini(&heap->live);
	free_percpu(heap->strata);
	kfree(heap);
}

static int fill_heap(struct heap *heap)
{
	int cpu, err;

	BUILD_BUG_ON(PPROF_MAX_HEAP_PERIOD > 1U << (NR_CLASSES - 1));
	heap->strata = alloc_percpu_gfp(struct stratified_by_size,
					GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!heap->strata)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		for (int i = 0; i < NR_CLASSES; i++)
			pprof_stratified_init(&per_cpu_ptr(heap->strata, cpu)->classes[i],
					      heap->period, get_random_u32());
	err = pprof_live_objects_init(&heap->live, object_is_gone);
	return err ? err : pprof_pending_calls_init(&heap->calls);
}

static void fill_uprobes(struct heap *heap, const struct pprof_probe_list *probes)
{
	for (u32 i = 0; i < probes->nr; i++) {
		struct pprof_uprobe *uprobe = &heap->uprobes.list[i];

		uprobe->owner = heap;
		uprobe->probe = &probes->list[i];
		uprobe->consumer.handler = note_entry_hook;
		uprobe->consumer.filter = filter_mm_hook;
		if (has_uretprobe(uprobe->probe->kind))
			uprobe->consumer.ret_handler = note_return_hook;
		if (uprobe->probe->kind <= PPROF_HEAP_NEW_HANDLER)
			heap->uprobes.nr_last = i + 1;
	}
	heap->uprobes.nr = probes->nr;
	heap->uprobes.settle = settle;
}

/* All uprobes end before the tables that they use are freed. */
static void stop(void *state)
{
	struct heap *heap = state;

	pprof_uprobes_clear(&heap->uprobes);
	free_heap(heap);
}

static int start(struct pprof_sink *sink, u64 period, void **state)
{
	struct heap *heap;
	int err;

	if (!period || period > PPROF_MAX_HEAP_PERIOD || !sink->probes)
		return -EINVAL;
	heap = kzalloc(struct_size(heap, uprobes.list, sink->probes->nr), GFP_KERNEL_ACCOUNT);
	if (!heap)
		return -ENOMEM;
	heap->sink = sink;
	heap->period = period;
	fill_uprobes(heap, sink->probes);
	err = fill_heap(heap);
	if (err) {
		free_heap(heap);
		return err;
	}
	err = pprof_uprobes_set(&heap->uprobes);
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
