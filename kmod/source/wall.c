// SPDX-License-Identifier: GPL-2.0
/*
 * Source wall: a sample of every thread at every tick, running or not, at the cost
 * of those that run.
 *
 * The ticks are those of pprof_ticks: anybody can tell how many fell into a span. A
 * thread that is on a CPU is sampled by a timer. For one that is not nothing is
 * done until it comes back: then one sample stands for all ticks that it missed, of
 * the stack that it comes back to, which is where it was. Who has not come back at
 * the end is visited then. So the spans of a thread follow each other from its
 * start to the end, and its samples are the ticks of its life.
 *
 * Where sampling takes too much of a CPU, ticks there are half as many from then on,
 * and count twice: those of another pprof_ticks. Whichever ticks a span is asked for, it
 * has as many on average as it is long, so that a thread may go from one CPU to another.
 */
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "base/arch.h"
#include "base/compat.h"
#include "source/throttle.h"
#include "source/resume_sample.h"
#include "source/source.h"
#include "source/thread_snapshot.h"
#include "source/tick_grid.h"
#include "source/wait_table.h"

/* What pprof_wait.on says of a thread: it waits for something, not for a CPU alone. */
#define BLOCKS	((void *)1)

/* Of one CPU; written there only, with interrupts off. A visitor reads the last two. */
struct wall_cpu {
	struct hrtimer timer;	/* queued since there was a target, until the next tick */
	struct wall *wall;
	struct pprof_ticks ticks;	/* of its rate's period */
	struct pprof_overload_rate rate;
	u64 since_ns;	/* until when the thread here has its samples */
	u32 tid;	/* that thread, in the initial namespace; 0: of no target, or not seen */
};

struct wall {
	struct pprof_sink *sink;
	struct pprof_ticks ticks;	/* as they were asked for */
	struct pprof_waits waits;
	struct pprof_resume resume;
	struct wall_cpu __percpu *cpus;
	bool begun;		/* until then it is as if nothing was seen */
	seqcount_t ending;	/* odd: the end is being set, and nobody takes the time */
	u64 end_ns;		/* U64_MAX: it runs */
	u32 next;		/* thread to visit, at the end */
	/*
	 * At the end threads are visited in the order of their numbers, as the session has
	 * them: 2 * N - 1 while N is, one less if it comes back first, one more if not.
	 */
	u32 visits;
};

/* The kernel's own helpers wait for work, not for the program's sake. */
static bool is_program(const struct task_struct *task)
{
	return !(READ_ONCE(task->flags) & (PF_IO_WORKER | PF_USER_WORKER));
}

static bool has_ended(const struct wall *wall)
{
	return READ_ONCE(wall->end_ns) != U64_MAX;
}

/*
 * Never beyond the end, also of who takes the time while it is set. It may spin for as long
 * as set_end() has interrupts off, as ktime_get_ns() does for who updates that clock.
 */
static u64 now_or_end(const struct wall *wall)
{
	unsigned int seq;
	u64 now;

	do {
		seq = raw_read_seqcount_begin(&wall->ending);
		now = min(ktime_get_ns(), READ_ONCE(wall->end_ns));
	} while (read_seqcount_retry(&wall->ending, seq));
	return now;
}

/* From now on; what is owed for the time since the last tick is told in the new ones. */
static void halve_rate(struct wall_cpu *cpu)
{
	if (!pprof_overload_halve(&cpu->rate))
		return;
	cpu->ticks.period_ns = cpu->rate.period_ns;
	pprof_ring_set_wall_period(pprof_record_ring(cpu->wall->sink), cpu->rate.period_ns);
}

static void note_cost(struct wall_cpu *cpu, u64 begin)
{
	if (pprof_overload_tick(begin, cpu->rate.period_ns))
		halve_rate(cpu);
}

/* How much the ticks of a span count here. */
static u64 weight_of(const struct wall_cpu *cpu, u64 from, u64 to)
{
	return pprof_ticks_between(&cpu->ticks, from, to) << cpu->rate.halvings;
}

/*
 * The ticks of the thread that is current, until @now. Nobody saw it come, if that was
 * before all knew of the begin, and it may be younger than this. Interrupts are off.
 */
static void settle(struct wall_cpu *cpu, u64 now)
{
	u64 begin = get_cycles(), since_ns = max(cpu->since_ns, current->start_time);
	struct pprof_happening what = {
		.source = PPROF_SOURCE_WALL, .arg = PPROF_THREAD_RUNNING, .time_ns = now,
		.weight = weight_of(cpu, since_ns, now),
	};

	WRITE_ONCE(cpu->since_ns, now);
	if (!what.weight)
		return;
	pprof_record_sample(cpu->wall->sink, &what);
	note_cost(cpu, begin);
}

static u32 number_of(const struct wall *wall, struct task_struct *task)
{
	return task_pid_nr_ns(task, wall->sink->target->ns);
}

static bool was_visited(const struct wall *wall, struct task_struct *task)
{
	u32 visits = READ_ONCE(wall->visits);

	return visits && visits >= 2 * number_of(wall, task);
}

/*
 * Who comes back while it is visited is owed what its visitor is about to tell: who
 * claims it first tells it. A visitor who is not seen here sees cpu->tid, which is there.
 */
static bool is_owed(struct wall *wall, struct task_struct *next)
{
	u32 visits, mine;

	if (!has_ended(wall))
		return true;
	smp_mb();	/* with weigh() */
	mine = 2 * number_of(wall, next) - 1;
	visits = READ_ONCE(wall->visits);
	return visits < mine ||
	       (visits == mine && cmpxchg(&wall->visits, mine, mine - 1) == mine);
}

static void note_wait(struct wall *wall, const struct task_struct *prev, u64 now, bool blocks)
{
	if (!pprof_waits_add(&wall->waits, prev->pid, now, blocks ? BLOCKS : NULL))
		pprof_record_lost(wall->sink, PPROF_SOURCE_WALL, 1, PPROF_LOST_QUEUE);
}

/*
 * A tick that is due but could not fire yet is that of who leaves. The dead won't come
 * back, and nobody asks again for who was visited. There is no moment at which a visitor
 * finds neither the wait nor the tid.
 */
static void leaves(struct wall_cpu *cpu, struct task_struct *prev, u64 now, bool blocks)
{
	settle(cpu, now);
	if (!(prev->flags & PF_EXITING) && !was_visited(cpu->wall, prev))
		note_wait(cpu->wall, prev, now, blocks);
	WRITE_ONCE(cpu->tid, 0);
}

static void start_timer(struct wall_cpu *cpu, u64 now)
{
	if (!has_ended(cpu->wall) && !hrtimer_is_queued(&cpu->timer))
		hrtimer_start(&cpu->timer, ns_to_ktime(pprof_ticks_next(&cpu->ticks, now)),
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Since when it is away that has this wait; NULL: it was not seen to leave, since who
 * was has a place, if there was one for all of the same bucket.
 */
static u64 away_since(const struct wall *wall, const struct task_struct *task,
		      const struct pprof_wait *wait, u64 now)
{
	if (wait)
		return READ_ONCE(wait->since_ns);
	if (pprof_waits_is(&wall->waits, task->pid, PPROF_WAITS_FULL))
		return now;
	return max(wall->ticks.start_ns, task->start_time);
}

static void comes(struct wall_cpu *cpu, struct task_struct *next, u64 now)
{
	struct pprof_happening what = { .source = PPROF_SOURCE_WALL, .time_ns = now };
	struct wall *wall = cpu->wall;
	struct pprof_wait *wait = pprof_waits_of(&wall->waits, next);
	bool blocks = !wait || wait->on == BLOCKS;

	WRITE_ONCE(cpu->since_ns, now);
	smp_store_release(&cpu->tid, next->pid);	/* with settled_until() */
	if (!(next->flags & PF_EXITING) && is_owed(wall, next)) {
		what.weight = weight_of(cpu, away_since(wall, next, wait, now), now);
		what.arg = blocks ? pprof_arch_syscall(next) : PPROF_THREAD_RUNNABLE;
	}
	if (wait)
		pprof_waits_del(wait);	/* the last, for settled_until() */
	if (what.weight)
		pprof_resume_sample(&wall->resume, next, &what);
	start_timer(cpu, now);
}

/* Who comes back costs as much as a tick. */
static void note_resume(struct pprof_resume *resume, u64 begin)
{
	note_cost(this_cpu_ptr(container_of(resume, struct wall, resume)->cpus), begin);
}

static void note_switch(void *state, struct task_struct *prev, struct task_struct *next, u32 what)
{
	struct wall *wall = state;
	struct wall_cpu *cpu;
	u64 now;

	if (!smp_load_acquire(&wall->begun))	/* with begin() */
		return;
	cpu = this_cpu_ptr(wall->cpus);
	now = now_or_end(wall);
	if (!what)
		WRITE_ONCE(cpu->tid, 0);	/* what ran here was a target */
	if ((what & PPROF_SWITCH_PREV) && is_program(prev))
		leaves(cpu, prev, now, what & PPROF_SWITCH_BLOCKS);
	if ((what & PPROF_SWITCH_NEXT) && is_program(next))
		comes(cpu, next, now);
}

/*
 * It is left queued where a target leaves: the next tick is the same for all. So
 * there may be one for nobody; or on another CPU, if its own has gone meanwhile. A
 * thread that executes a program gets its process's number.
 */
static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct wall_cpu *cpu = container_of(timer, struct wall_cpu, timer);
	struct wall *wall = cpu->wall;
	u64 now;

	if (cpu != this_cpu_ptr(wall->cpus) || !cpu->tid || has_ended(wall))
		return HRTIMER_NORESTART;
	if (!pprof_target_has(wall->sink->target, current) || !is_program(current)) {
		WRITE_ONCE(cpu->tid, 0);	/* its process had ended when it left */
		return HRTIMER_NORESTART;
	}
	WRITE_ONCE(cpu->tid, current->pid);
	now = now_or_end(wall);
	settle(cpu, now);
	hrtimer_set_expires(timer, ns_to_ktime(pprof_ticks_next(&cpu->ticks, now)));
	return HRTIMER_RESTART;
}

/* On its CPU, interrupts off: what runs here now came before the probe. */
static void join_cpu(void *data)
{
	struct wall *wall = data;
	struct wall_cpu *cpu = this_cpu_ptr(wall->cpus);

	if (!pprof_target_has(wall->sink->target, current) || !is_program(current))
		return;
	WRITE_ONCE(cpu->tid, current->pid);
	start_timer(cpu, ktime_get_ns());
}

/* To all rings, as a reader may have mapped only some. */
static void tell_span(const struct wall *wall, u64 begin_ns, u64 end_ns)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pprof_ring_set_wall_span(&wall->sink->rings[cpu].ring, begin_ns, end_ns);
}

/* The hook is there, which took some 0.03 s: these are not the profile's. */
static void begin(struct wall *wall)
{
	struct wall_cpu *wall_cpu;
	int cpu;

	wall->ticks.start_ns = ktime_get_ns();
	for_each_possible_cpu(cpu) {
		wall_cpu = per_cpu_ptr(wall->cpus, cpu);
		wall_cpu->ticks = wall->ticks;
		wall_cpu->since_ns = wall->ticks.start_ns;
	}
	smp_store_release(&wall->begun, true);	/* with note_switch() */
	on_each_cpu(join_cpu, wall, 1);
	tell_span(wall, wall->ticks.start_ns, 0);
}

/* On its CPU, interrupts off: what runs at the end has its last sample. */
static void end_cpu(void *data)
{
	struct wall *wall = data;
	struct wall_cpu *cpu = this_cpu_ptr(wall->cpus);

	if (!cpu->tid || !pprof_target_has(wall->sink->target, current) || !is_program(current))
		return;
	WRITE_ONCE(cpu->tid, current->pid);
	settle(cpu, wall->end_ns);
}

/* Never back: a thread gets its process's number, which was visited, by an exec. */
static void raise_visits(struct wall *wall, u32 visits)
{
	if (READ_ONCE(wall->visits) < visits)
		WRITE_ONCE(wall->visits, visits);
}

/*
 * Since when @task has no samples: PPROF_THREADS_COMES while a CPU switches to it, which is
 * about to look at the visits. One that runs is asked there; its number may be new, by an exec.
 */
static u64 settled_until(const struct wall *wall, struct task_struct *task)
{
	const struct pprof_wait *wait = pprof_waits_find(&wall->waits, task->pid);
	const struct wall_cpu *cpu = per_cpu_ptr(wall->cpus, task_cpu(task));
	u32 tid = smp_load_acquire(&cpu->tid);	/* with comes() */

	if (tid && task == current)
		return READ_ONCE(cpu->since_ns);
	if (tid == task->pid)
		return PPROF_THREADS_COMES;
	return away_since(wall, task, wait, wall->end_ns);
}

static u64 weigh(void *ctx, struct task_struct *task)
{
	struct wall *wall = ctx;
	u32 number = number_of(wall, task);
	u64 since_ns;

	if (number)	/* the dead have none any more */
		raise_visits(wall, 2 * number - 1);
	smp_mb();	/* with is_owed() */
	since_ns = settled_until(wall, task);
	return since_ns == PPROF_THREADS_COMES ? PPROF_THREADS_COMES :
	       pprof_ticks_between(&wall->ticks, since_ns, wall->end_ns);
}

/* From now on it comes back with nothing owed. */
static bool claim(void *ctx, struct task_struct *task)
{
	struct wall *wall = ctx;
	u32 mine = 2 * number_of(wall, task) - 1;

	return cmpxchg(&wall->visits, mine, mine + 1) == mine;
}

static void note_visit(void *ctx, struct task_struct *task)
{
	struct wall *wall = ctx;

	raise_visits(wall, 2 * number_of(wall, task));
}

/* On a CPU whose own hooks wait meanwhile, as their interrupts are off. */
static void set_end(struct wall *wall)
{
	unsigned long flags;

	local_irq_save(flags);
	raw_write_seqcount_begin(&wall->ending);
	smp_mb();	/* who took the time after this one sees that, and takes it again */
	WRITE_ONCE(wall->end_ns, ktime_get_ns());
	raw_write_seqcount_end(&wall->ending);
	local_irq_restore(flags);
}

/*
 * No tick fires from the end on, but switches are noted until all were visited: who ends
 * meanwhile comes back for it, and has its time until the end then.
 */
static int finish(void *state)
{
	struct wall *wall = state;
	const struct pprof_threads_how how = {
		.source = PPROF_SOURCE_WALL, .weigh = weigh,
		.claim = claim, .done = note_visit, .ctx = wall,
	};
	int err;

	if (!has_ended(wall)) {
		set_end(wall);
		on_each_cpu(end_cpu, wall, 1);
		tell_span(wall, wall->ticks.start_ns, wall->end_ns);
	}
	err = pprof_threads_sample(wall->sink, &how, &wall->next);
	return err || !wall->next ? err : -EAGAIN;
}

static void free_wall(struct wall *wall)
{
	free_percpu(wall->cpus);
	pprof_waits_fini(&wall->waits);
	kfree(wall);
}

static void init_cpus(struct wall *wall)
{
	struct wall_cpu *wall_cpu;
	int cpu;

	for_each_possible_cpu(cpu) {
		wall_cpu = per_cpu_ptr(wall->cpus, cpu);
		wall_cpu->wall = wall;
		wall_cpu->rate.period_ns = wall->ticks.period_ns;
		pprof_ring_set_wall_period(&wall->sink->rings[cpu].ring, wall->ticks.period_ns);
		hrtimer_setup(&wall_cpu->timer, timer_fires, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	}
}

static struct wall *new_wall(struct pprof_sink *sink, u64 period_ns)
{
	struct wall *wall = kzalloc(sizeof(*wall), GFP_KERNEL_ACCOUNT);

	if (!wall)
		return NULL;
	wall->sink = sink;
	wall->end_ns = U64_MAX;
	seqcount_init(&wall->ending);
	wall->ticks = (struct pprof_ticks) { .period_ns = period_ns, .seed = get_random_u32() };
	wall->cpus = alloc_percpu_gfp(struct wall_cpu,
				      GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!wall->cpus || pprof_waits_init(&wall->waits)) {
		free_wall(wall);
		return NULL;
	}
	init_cpus(wall);
	return wall;
}

/* The probe before the beginning, and that before the look at what runs then. */
static int start(struct pprof_sink *sink, u64 period_ns, void **state)
{
	struct wall *wall;
	int err;

	if (period_ns < PPROF_MIN_PERIOD_NS || period_ns > PPROF_MAX_PERIOD_NS)
		return -EINVAL;
	wall = new_wall(sink, period_ns);
	if (!wall)
		return -ENOMEM;
	err = pprof_resume_init(&wall->resume, sink, note_resume);
	if (err)
		goto free;
	err = pprof_switches_add(&sink->switches, note_switch, wall);
	if (err)
		goto resume;
	begin(wall);
	*state = wall;
	return 0;
resume:
	pprof_resume_fini(&wall->resume);
free:
	free_wall(wall);
	return err;
}

/* In this order: what starts ticks and asks for samples, the ticks, and the samples. */
static void stop(void *state)
{
	struct wall *wall = state;
	int cpu;

	pprof_switches_del(&wall->sink->switches, wall);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(wall->cpus, cpu)->timer);
	pprof_resume_fini(&wall->resume);
	free_wall(wall);
}

const struct pprof_source pprof_src_wall = {
	.start = start,
	.finish = finish,
	.stop = stop,
};
