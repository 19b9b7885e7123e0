// SPDX-License-Identifier: GPL-2.0
/*
 * Source CPU: a sample for each period of CPU time of targets on a CPU.
 *
 * Each CPU has a clock that runs only while a target is on it. sched_switch starts and stops its
 * timer, and keeps the time that was left. A timer that starts anew at each switch is rejected: it
 * would never see a load of short bursts.
 *
 * The time of the clock is divided into strata of one period. Each has one tick at a random moment.
 * So each moment has the same probability, the rate is exact, and no program can run in lockstep
 * with the ticks.
 *
 * Where sampling takes too much of a CPU its strata become twice as long. A tick then stands for
 * twice as many periods. So counts stay true, but are coarser.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timex.h>

#include "base/compat.h"
#include "source/throttle.h"
#include "base/prng.h"
#include "source/source.h"

/* The clock of one CPU. Only that CPU writes it, with interrupts off. */
struct clock {
	struct hrtimer timer;	/* expires at the stratum's start + offset_ns */
	struct cpu_source *source;
	u64 left_ns;		/* while stopped: ns until the tick */
	u64 offset_ns;
	struct pprof_throttle_rate rate;
	u32 random;
	bool running;
	bool online;
};

struct cpu_source {
	struct pprof_sink *sink;
	u64 period_ns;
	struct clock __percpu *clocks;
	struct hlist_node node;		/* for CPU hotplug */
};

static enum cpuhp_state hotplug_state;

/* A period is at most PPROF_MAX_PERIOD_NS, which is below 2^32: the product fits. */
static u64 random_offset(struct clock *clock)
{
	return (clock->rate.period_ns * pprof_random(&clock->random)) >> 32;
}

/* Takes effect in the stratum that has just begun. */
static void halve_rate(struct clock *clock)
{
	if (pprof_throttle_halve(&clock->rate))
		pprof_ring_set_period(pprof_record_ring(clock->source->sink),
				      clock->rate.period_ns);
}

/*
 * Sets the timer to the next tick after @now. @now is not before the tick that is due. Returns the
 * number of strata from that of the due tick to that of @now, both included. hrtimer_forward() is
 * rejected: without high-resolution timers it raises an interval to at least a jiffy.
 */
static u64 forward(struct clock *clock, ktime_t now)
{
	u64 start = ktime_to_ns(hrtimer_get_expires(&clock->timer)) - clock->offset_ns;
	u64 strata = div64_u64(ktime_to_ns(now) - start, clock->rate.period_ns) + 1;

	clock->offset_ns = random_offset(clock);
	start += strata * clock->rate.period_ns;
	hrtimer_set_expires(&clock->timer, ns_to_ktime(start + clock->offset_ns));
	return strata;
}

/*
 * The timer is not queued. A tick may be late: interrupts were off, or the hypervisor ran another
 * guest. Then its weight is the number of strata that have begun since the last tick.
 * Returns: false if current is no target, and was not sampled.
 * Context: interrupts off.
 */
static __always_inline bool tick(struct clock *clock, ktime_t now)
{
	struct pprof_sample_info info = { .source = PPROF_SOURCE_CPU, .time_ns = ktime_to_ns(now) };
	struct pprof_sink *sink = clock->source->sink;
	u64 begin = get_cycles();
	bool is_target = pprof_target_has(sink->target, current);

	info.weight = forward(clock, now) << clock->rate.halvings;
	if (likely(is_target))
		pprof_record_sample(sink, &info);
	if (pprof_throttle_tick(begin, clock->rate.period_ns))
		halve_rate(clock);
	return is_target;
}

/* Out of line: most stops are before the tick is due. */
static noinline void tick_late(struct clock *clock, ktime_t now)
{
	tick(clock, now);
}

/* The timer is not queued, and will not be. */
static void keep_left_time(struct clock *clock, ktime_t now)
{
	clock->running = false;
	clock->left_ns = ktime_to_ns(ktime_sub(hrtimer_get_expires(&clock->timer), now));
}

/*
 * A target has ended or was dropped, but its other threads may still be on CPUs. When they leave
 * for a thread of no target, no function is called. Until this tick the clock ran for such threads,
 * which is rare enough. The next target begins a stratum of its own. The time that is left would
 * not do: right after a tick it is longer than at any other moment.
 */
static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct clock *clock = container_of(timer, struct clock, timer);
	ktime_t now = ktime_get();

	if (likely(tick(clock, now)))
		return HRTIMER_RESTART;
	clock->running = false;
	clock->offset_ns = random_offset(clock);
	clock->left_ns = clock->offset_ns;
	return HRTIMER_NORESTART;
}

static void clock_start(struct clock *clock)
{
	if (!clock->online)
		return;
	clock->running = true;
	hrtimer_start(&clock->timer, ns_to_ktime(clock->left_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Interrupts are off and the timer is pinned. So its function does not run now, and cancelling
 * cannot fail. perf does the same under the runqueue lock. A tick that is due but could not fire
 * belongs to the task that leaves, which is still current.
 */
static void clock_stop(struct clock *clock)
{
	ktime_t now = ktime_get();

	hrtimer_try_to_cancel(&clock->timer);
	if (hrtimer_get_expires(&clock->timer) <= now)
		tick_late(clock, now);
	keep_left_time(clock, now);
}

static void note_switch(void *state, struct task_struct *prev, struct task_struct *next, u32 flags)
{
	struct cpu_source *source = state;
	struct clock *clock = this_cpu_ptr(source->clocks);
	bool wanted = flags & PPROF_SWITCH_NEXT;

	if (likely(wanted == clock->running))
		return;
	if (wanted)
		clock_start(clock);
	else
		clock_stop(clock);
}

/*
 * The thread that runs here came before the probe.
 * Context: its CPU, interrupts off.
 */
static void join_cpu(void *data)
{
	struct cpu_source *source = data;
	struct clock *clock = this_cpu_ptr(source->clocks);

	clock->online = true;
	if (!clock->running && pprof_target_has(source->sink->target, current))
		clock_start(clock);
}

/* A target starts its clock by a switch. Context: a thread of the CPU that comes online. */
static int cpu_comes(unsigned int cpu, struct hlist_node *node)
{
	struct cpu_source *source = hlist_entry(node, struct cpu_source, node);

	per_cpu_ptr(source->clocks, cpu)->online = true;
	return 0;
}

/* Context: its CPU, interrupts off. */
static void leave_cpu(void *data)
{
	struct cpu_source *source = data;
	struct clock *clock = this_cpu_ptr(source->clocks);

	clock->online = false;
	if (clock->running)
		clock_stop(clock);
}

/*
 * Context: a thread of the CPU that goes offline. Tasks may still run there for a moment, unseen. A
 * timer that is left running would migrate.
 */
static int cpu_goes(unsigned int cpu, struct hlist_node *node)
{
	unsigned long flags;

	local_irq_save(flags);
	leave_cpu(hlist_entry(node, struct cpu_source, node));
	local_irq_restore(flags);
	return 0;
}

static void init_clocks(struct cpu_source *source)
{
	struct clock *clock;
	int cpu;

	for_each_possible_cpu(cpu) {
		clock = per_cpu_ptr(source->clocks, cpu);
		clock->source = source;
		clock->rate.period_ns = source->period_ns;
		clock->random = get_random_u32() | 1;
		clock->offset_ns = random_offset(clock);
		clock->left_ns = clock->offset_ns;
		pprof_ring_set_period(&source->sink->rings[cpu].ring, source->period_ns);
		hrtimer_setup(&clock->timer, timer_fires, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD | HRTIMER_MODE_LAZY_REARM);
	}
}

static struct cpu_source *new_source(struct pprof_sink *sink, u64 period_ns)
{
	struct cpu_source *source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);

	if (!source)
		return NULL;
	source->sink = sink;
	source->period_ns = period_ns;
	source->clocks = alloc_percpu_gfp(struct clock,
					  GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!source->clocks) {
		kfree(source);
		return NULL;
	}
	init_clocks(source);
	return source;
}

static void free_source(struct cpu_source *source)
{
	free_percpu(source->clocks);
	kfree(source);
}

/*
 * Hotplug first, so that a CPU that comes online meanwhile is not missed. The probe comes before
 * the look at the running threads, for the same reason.
 */
static int start(struct pprof_sink *sink, u64 period_ns, void **state)
{
	struct cpu_source *source;
	int err;

	if (period_ns < PPROF_MIN_PERIOD_NS || period_ns > PPROF_MAX_PERIOD_NS)
		return -EINVAL;
	source = new_source(sink, period_ns);
	if (!source)
		return -ENOMEM;
	err = cpuhp_state_add_instance_nocalls(hotplug_state, &source->node);
	if (err)
		goto free;
	err = pprof_switches_add(&sink->switches, note_switch, source);
	if (err)
		goto hotplug;
	cpus_read_lock();	/* no CPU goes offline between the request and its join */
	on_each_cpu(join_cpu, source, 1);
	cpus_read_unlock();
	*state = source;
	return 0;
hotplug:
	cpuhp_state_remove_instance_nocalls(hotplug_state, &source->node);
free:
	free_source(source);
	return err;
}

/*
 * Stops the clocks first, so that the source ends now, and not some 0.01 s later when the probe has
 * gone. A CPU that comes online meanwhile may start its clock again. So each clock is stopped once
 * more when no hook starts one.
 */
static void stop(void *state)
{
	struct cpu_source *source = state;
	int cpu;

	cpus_read_lock();	/* no CPU goes offline between the request and its stop */
	on_each_cpu(leave_cpu, source, 1);
	cpus_read_unlock();
	pprof_switches_del(&source->sink->switches, source);
	cpuhp_state_remove_instance_nocalls(hotplug_state, &source->node);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(source->clocks, cpu)->timer);
	free_source(source);
}

int pprof_src_cpu_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "pprof:online", cpu_comes,
					    cpu_goes);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void pprof_src_cpu_exit(void)
{
	cpuhp_remove_multi_state(hotplug_state);
}

const struct pprof_source pprof_src_cpu = {
	.start = start,
	.stop = stop,
	.follows_moves = true,
};
