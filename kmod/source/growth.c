// SPDX-License-Identifier: GPL-2.0
/*
 * Source GROWTH: memory by the stack that touched it first.
 *
 * Only the tracepoint of the page allocator knows how much memory a touch brings: a page, or 2 MiB
 * of pages. Rejected:
 * - Tracepoints of page faults. They come before the fault is handled, so they do not know the
 *   size. They miss memory that the kernel touches for its caller (a read() into fresh memory,
 *   MAP_POPULATE).
 * - Counters of memory in use. They do not know the thread, nor memory that was given back.
 */
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <trace/events/kmem.h>

#include "base/user_regs.h"
#include "base/tracepoints.h"
#include "source/source.h"
#include "source/stratified.h"

struct growth {
	struct pprof_sink *sink;
	u32 period;
	struct pprof_stratified __percpu *strata;
};

/*
 * Fresh anonymous memory is cleared and movable. Page tables and the page cache are not both. A
 * huge page is cleared by the code that asked for it. Apart from that code, only shmem and
 * MADV_COLLAPSE ask with the same flags. This function cannot distinguish them.
 *
 * Copies (after fork, from swap) are no growth. Huge pages that move to the node of their thread
 * are none either. Such a page must be on that node (__GFP_THISNODE). A first touch with that
 * condition tries only once (__GFP_NORETRY).
 */
static bool is_first_touch(gfp_t gfp, unsigned int order)
{
	if (!(gfp & __GFP_MOVABLE))
		return false;
	if (!order)
		return gfp & __GFP_ZERO;
	return (gfp & (__GFP_ZERO | __GFP_NOMEMALLOC)) &&
	       (gfp & (__GFP_THISNODE | __GFP_NORETRY)) != __GFP_THISNODE;
}

/* Context: interrupts off. */
static void note_touch(struct growth *growth, u64 bytes)
{
	struct pprof_sample_info info = { .source = PPROF_SOURCE_GROWTH, .value = bytes };

	info.weight = pprof_stratified_take(this_cpu_ptr(growth->strata), growth->period, bytes);
	if (!info.weight)
		return;
	info.time_ns = ktime_get_mono_fast_ns();
	info.arg = pprof_syscall_of(current);
	pprof_record_sample(growth->sink, &info);
}

/* current allocates. It may hold any lock, and may be in an interrupt. */
static void probe_alloc(void *data, struct page *page, unsigned int order, gfp_t gfp,
			int migratetype)
{
	struct growth *growth = data;
	unsigned long flags;

	if (!is_first_touch(gfp, order) || !pprof_target_has(growth->sink->target, current))
		return;
	if (!page || !in_task())
		return;
	local_irq_save(flags);
	note_touch(growth, PAGE_SIZE << order);
	local_irq_restore(flags);
}

static struct growth *new_growth(struct pprof_sink *sink, u32 period)
{
	struct growth *growth = kzalloc(sizeof(*growth), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!growth)
		return NULL;
	growth->sink = sink;
	growth->period = period;
	growth->strata = alloc_percpu_gfp(struct pprof_stratified,
					  GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!growth->strata) {
		kfree(growth);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		pprof_stratified_init(per_cpu_ptr(growth->strata, cpu), period, get_random_u32());
	return growth;
}

static void free_growth(struct growth *growth)
{
	free_percpu(growth->strata);
	kfree(growth);
}

static int start(struct pprof_sink *sink, u64 period, void **state)
{
	struct growth *growth;
	int err;

	check_trace_callback_type_mm_page_alloc(probe_alloc);
	if (!period || period > PPROF_MAX_GROWTH_PERIOD)
		return -EINVAL;
	growth = new_growth(sink, period);
	if (!growth)
		return -ENOMEM;
	err = pprof_tracepoint_add(PPROF_TRACEPOINT_PAGE_ALLOC, probe_alloc, growth);
	if (err) {
		free_growth(growth);
		return err;
	}
	*state = growth;
	return 0;
}

static void stop(void *state)
{
	pprof_tracepoint_del(PPROF_TRACEPOINT_PAGE_ALLOC, probe_alloc, state);
	tracepoint_synchronize_unregister();
	free_growth(state);
}

const struct pprof_source pprof_src_growth = {
	.start = start,
	.stop = stop,
	.follows_moves = true,
};
