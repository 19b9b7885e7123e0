// SPDX-License-Identifier: GPL-2.0
/*
 * Source BLOCK: where threads blocked, and for how long. The sample is taken when they run again:
 * the time includes the run-queue delay, as in Go. A thread that was only preempted did not block.
 */
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "base/user_regs.h"
#include "base/prng.h"
#include "source/resume_sample.h"
#include "source/source.h"
#include "source/wait_table.h"

#define BLOCKED	(PPROF_SWITCH_PREV | PPROF_SWITCH_BLOCKS)

struct block_source {
	struct pprof_sink *sink;
	u64 rate_ns;
	struct pprof_wait_table waits;
	struct pprof_resume resume;
	u32 __percpu *randoms;
};

/* The probability is @ns / rate_ns. A wait of at least rate_ns is always sampled. */
static bool is_sampled(struct block_source *source, u64 ns)
{
	return ns >= source->rate_ns ||
	       mul_u64_u32_shr(source->rate_ns, pprof_random(this_cpu_ptr(source->randoms)),
			       32) < ns;
}

/* If another sample is still due on this CPU, this one counts as lost. */
static noinline void take(struct block_source *source, struct task_struct *next, u64 ns)
{
	struct pprof_sample_info info = {
		.source = PPROF_SOURCE_BLOCK, .weight = 1, .value = ns,
		.arg = pprof_syscall_of(next), .time_ns = ktime_get_mono_fast_ns(),
	};

	pprof_resume_sample(&source->resume, next, &info);
}

/* @next runs again: ends its wait, if it has one. */
static void end_wait(struct block_source *source, struct task_struct *next, u64 now)
{
	struct pprof_wait *wait = pprof_wait_table_of(&source->waits, next);
	u64 ns;

	if (!wait)
		return;
	ns = pprof_wait_table_until(wait, now);
	pprof_wait_table_del(wait);
	if (is_sampled(source, ns))
		take(source, next, ns);
}

static void note_switch(void *state, struct task_struct *prev, struct task_struct *next, u32 flags)
{
	struct block_source *source = state;
	u64 now = local_clock();

	if ((flags & BLOCKED) == BLOCKED &&
	    !pprof_wait_table_add(&source->waits, prev->pid, now, NULL))
		pprof_record_lost(source->sink, PPROF_SOURCE_BLOCK, 1, PPROF_LOST_QUEUE);
	if (flags & PPROF_SWITCH_NEXT)
		end_wait(source, next, now);
}

static void free_source(struct block_source *source)
{
	free_percpu(source->randoms);
	pprof_wait_table_fini(&source->waits);
	kfree(source);
}

static struct block_source *new_source(struct pprof_sink *sink, u64 rate_ns)
{
	struct block_source *source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);
	u32 *random;
	int cpu;

	if (!source)
		return NULL;
	source->sink = sink;
	source->rate_ns = rate_ns;
	source->randoms = alloc_percpu_gfp(u32, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!source->randoms || pprof_wait_table_init(&source->waits)) {
		free_source(source);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		random = per_cpu_ptr(source->randoms, cpu);
		*random = get_random_u32() | 1;
	}
	return source;
}

static int start(struct pprof_sink *sink, u64 rate_ns, void **state)
{
	struct block_source *source;
	int err;

	if (!rate_ns || rate_ns > PPROF_MAX_BLOCK_RATE_NS)
		return -EINVAL;
	source = new_source(sink, rate_ns);
	if (!source)
		return -ENOMEM;
	err = pprof_resume_init(&source->resume, sink, NULL);
	if (err)
		goto free;
	err = pprof_switches_add(&sink->switches, note_switch, source);
	if (err)
		goto resume;
	*state = source;
	return 0;
resume:
	pprof_resume_fini(&source->resume);
free:
	free_source(source);
	return err;
}

/* Removes the hook that requests samples first, and then the samples that are still due. */
static void stop(void *state)
{
	struct block_source *source = state;

	pprof_switches_del(&source->sink->switches, source);
	pprof_resume_fini(&source->resume);
	free_source(source);
}

const struct pprof_source pprof_src_block = {
	.start = start,
	.stop = stop,
};
