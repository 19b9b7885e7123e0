// SPDX-License-Identifier: GPL-2.0
/*
 * Source HEAP: objects that programs allocate and do not free, by uprobes in their allocator.
 *
 * Objects smaller than a period are sampled once for each period of their bytes, as in
 * source/growth.c. Larger ones are all sampled. Each power of two of sizes has its own strata. So
 * the number of objects is as exact as that of bytes, for any mix of sizes. Go's way is rejected:
 * exponential distances between samples, scaled by 1/(1-exp(-size/rate)). Its mean is right for
 * each object, too, but its error is 3 % for a thousand samples.
 *
 * A call costs a trap, and a second one if it has a uretprobe. So a call of MALLOC, CALLOC or
 * NEW_HANDLED gets a uretprobe only when a sample is due. Before 6.12 the kernel gives one to each
 * call. NEW never gets one: see below. Other functions may call malloc() themselves, and return its
 * object. The object must count once, for the outer call. So each of their calls gets a uretprobe.
 *
 * A C++ exception that passes a call with a uretprobe ends the program. So a function that may
 * throw gets one only while a uprobe is in NEW_HANDLER, which puts the return addresses back. That
 * uprobe stays until the last such call has ended. Rejected:
 * - No uretprobe: jemalloc's operator new calls no other function that could have one. So live
 *   objects would not be known.
 * - Another thread puts the addresses back: another call may be at that place by then.
 *
 * This file has the hooks. allocator_calls.c turns a call into a sample, and follows live objects.
 * throw_safety.c puts return addresses back.
 */
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "arch/mm.h"
#include "arch/regs.h"
#include "arch/shadow_stack.h"
#include "heap/allocator_calls.h"
#include "heap/throw_safety.h"
#include "source/source.h"

/*
 * Returns what a handler must return for a call whose return this source does not need. That is
 * @verdict. During removal it is 0, and the kernel then gives the call a uretprobe.
 *
 * A call that has a uretprobe, but no entry in heap->calls, would end a program that throws. With a
 * shadow stack return addresses cannot be put back, so there it may end any program. These calls
 * keep @verdict during removal. This may remove the uprobe of another user, too.
 */
static int answer(const struct pprof_heap_source *heap, u32 function, int verdict)
{
	if (pprof_heap_may_throw(function) || pprof_arch_has_shadow_stack())
		return verdict;
	return pprof_uprobes_verdict(&heap->uprobes, verdict);
}

/*
 * Handles the start of a call.
 * Returns: the handler's answer. @unwanted: this source does not need the return of the call.
 */
static int begin_call(struct pprof_heap_source *heap, u32 function, struct pt_regs *regs,
		      int unwanted)
{
	u64 exec_id, number;

	pprof_ring_trapped(pprof_record_ring(heap->sink));
	switch (function) {
	case PPROF_HEAP_FREE:
		exec_id = pprof_exec_id(current);
		number = pprof_live_objects_take(&heap->live, pprof_arch_arg(regs, 0),
						 exec_id);
		if (number)
			pprof_heap_emit_free(heap, exec_id, number);
		return 0;
	case PPROF_HEAP_NEW_HANDLER:
		pprof_heap_give_up_call(heap);
		return 0;
	}
	return pprof_heap_begin_alloc(heap, function, regs) ? 0 : unwanted;
}

/*
 * Does @mm belong to a target? A task that shares it (by vfork(), or a plain CLONE_VM) may have
 * become its owner after a thread ended. So current is checked, too.
 *
 * A fork calls this before task_newtask makes the child a target. So if children become targets,
 * every new child counts as a target. If it does not become a target, it loses its uprobes at its
 * first call.
 * Context: any.
 */
static bool wants(struct pprof_heap_source *heap, struct mm_struct *mm)
{
	const struct pprof_target *target = heap->sink->target;
	struct task_struct *owner;
	bool has;

	if (pprof_arch_is_compat_mm(mm))
		return false;
	rcu_read_lock();
	owner = pprof_mm_owner(mm);
	/* Read the state first: a child is TASK_NEW until task_newtask has made it a target. */
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
 * The child of a target has copies of its uprobes. A child that is no target loses them at its
 * first call. A child of vfork() shares the uprobes of its parent. Each of these processes may be
 * about to throw, or may run on another stack. So the return addresses are put back first, also for
 * a process that is no target.
 */
DEFINE_UPROBE_HANDLER(note_entry)
static int note_entry(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data)
{
	struct pprof_uprobe *uprobe = container_of(self, struct pprof_uprobe, consumer);
	struct pprof_heap_source *heap = uprobe->owner;
	const struct pprof_probe *probe = uprobe->probe;
	unsigned long flags;
	int verdict;

	pprof_heap_restore_returns(heap, probe->function, user_stack_pointer(regs));
	if (!pprof_target_has(heap->sink->target, current)) {
		verdict = wants(heap, current->mm) ? UPROBE_HANDLER_IGNORE : UPROBE_HANDLER_REMOVE;
		return answer(heap, probe->function, verdict);
	}
	if (pprof_heap_may_throw(probe->function) && pprof_heap_has_uretprobe(probe->function) &&
	    !pprof_uprobes_are_installed(&heap->uprobes, PPROF_HEAP_NEW_HANDLER, probe,
					 instruction_pointer(regs)))
		return answer(heap, probe->function, UPROBE_HANDLER_REMOVE);
	local_irq_save(flags);
	verdict = begin_call(heap, probe->function, regs,
			     answer(heap, probe->function, UPROBE_HANDLER_IGNORE));
	local_irq_restore(flags);
	return verdict;
}

/* The call has returned, and the next instruction is that of the caller. */
DEFINE_UPROBE_RET_HANDLER(note_return)
static int note_return(struct uprobe_consumer *self, unsigned long func, struct pt_regs *regs,
		       __u64 *data)
{
	struct pprof_heap_source *heap = container_of(self, struct pprof_uprobe, consumer)->owner;
	struct pprof_pending_call call;
	unsigned long flags;

	local_irq_save(flags);
	pprof_ring_trapped(pprof_record_ring(heap->sink));
	if (pprof_pending_calls_leave(&heap->calls, current->pid,
				      pprof_arch_sp_of_call(regs), &call)) {
		if (call.exec_id == pprof_exec_id(current))
			pprof_heap_end_alloc(heap, &call, regs);
		else
			pprof_heap_drop_call(heap, &call);
	}
	local_irq_restore(flags);
	return 0;
}

static void free_heap(struct pprof_heap_source *heap)
{
	pprof_pending_calls_fini(&heap->calls);
	pprof_live_objects_fini(&heap->live);
	free_percpu(heap->strata);
	kfree(heap);
}

static int fill_heap(struct pprof_heap_source *heap)
{
	int cpu, err;

	BUILD_BUG_ON(PPROF_MAX_HEAP_PERIOD > 1U << (PPROF_HEAP_CLASSES - 1));
	heap->strata = alloc_percpu_gfp(struct pprof_heap_strata,
					GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!heap->strata)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		for (int i = 0; i < PPROF_HEAP_CLASSES; i++)
			pprof_stratified_init(&per_cpu_ptr(heap->strata, cpu)->classes[i],
					      heap->period, get_random_u32());
	err = pprof_live_objects_init(&heap->live, pprof_heap_object_is_gone);
	return err ? err : pprof_pending_calls_init(&heap->calls);
}

static void fill_uprobes(struct pprof_heap_source *heap, const struct pprof_probe_list *probes)
{
	for (u32 i = 0; i < probes->nr; i++) {
		struct pprof_uprobe *uprobe = &heap->uprobes.list[i];

		uprobe->owner = heap;
		uprobe->probe = &probes->list[i];
		uprobe->consumer.handler = note_entry_hook;
		uprobe->consumer.filter = filter_mm_hook;
		if (pprof_heap_has_uretprobe(uprobe->probe->function))
			uprobe->consumer.ret_handler = note_return_hook;
		if (uprobe->probe->function <= PPROF_HEAP_NEW_HANDLER)
			heap->uprobes.nr_last = i + 1;
	}
	heap->uprobes.nr = probes->nr;
	heap->uprobes.settle = pprof_heap_settle;
}

/* All uprobes end before the tables that they use are freed. */
static void stop(void *state)
{
	struct pprof_heap_source *heap = state;

	pprof_uprobes_clear(&heap->uprobes);
	free_heap(heap);
}

static int start(struct pprof_sink *sink, u64 period, void **state)
{
	struct pprof_heap_source *heap;
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
