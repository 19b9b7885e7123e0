// SPDX-License-Identifier: GPL-2.0
/*
 * Source WALL: a sample of every thread at every tick, running or not, at the cost of the running
 * ones.
 *
 * The ticks are those of struct pprof_tick_grid: the number of ticks in a span can be computed
 * later. A timer samples a thread that is on a CPU. Nothing is done for a thread that is not, until
 * it comes back. Then one sample stands for all ticks that it missed. Its stack is the one to which
 * it comes back, which is where it waited. At the end, a worker visits each thread that has not
 * come back. So the spans of a thread follow each other, and its samples are the ticks of its life.
 *
 * Where sampling takes too much of a CPU, that CPU has half as many ticks from then on, and each
 * counts twice. These are the ticks of another struct pprof_tick_grid. With any grid, the weight of
 * a span is proportional to its length, on average. So the weights of a thread stay true when it
 * moves to another CPU.
 */
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "base/user_regs.h"
#include "base/compat.h"
#include "source/throttle.h"
#include "source/resume_sample.h"
#include "source/source.h"
#include "source/thread_snapshot.h"
#include "source/tick_grid.h"
#include "source/wait_table.h"

/* Value of pprof_wait.on: the thread waits for something, and not for a CPU alone. */
#define BLOCKS	((void *)1)

/*
 * The state of one CPU. From begin() on only that CPU writes it, with interrupts off. The visit
 * reads the last two fields.
 */
struct wall_cpu {
	/* Expires at the next tick. Not queued if no target has run here since the last tick */
	struct hrtimer timer;
	struct wall *wall;
	struct pprof_tick_grid ticks;	/* with the period of its rate */
	struct pprof_throttle_rate rate;
	u64 since_ns;	/* the thread here has its samples until then */
	u32 tid;	/* that thread, in the initial namespace; 0: of no target, or not seen */
};

struct wall {
	struct pprof_sink *sink;
	struct pprof_tick_grid ticks;	/* with the period of START */
	struct pprof_wait_table waits;
	struct pprof_resume resume;
	struct wall_cpu __percpu *cpus;
	bool begun;		/* until it is set, the hooks do nothing */
	seqcount_t ending;	/* odd: the end is being set, and now_or_end() waits */
	u64 end_ns;		/* U64_MAX: it runs */
	u32 next;		/* tid of the next thread to visit, at the end */
	/*
	 * At the end threads are visited in the order of their numbers N in the session's
	 * namespace. While thread N is visited this is 2 * N - 1. If the thread comes back first,
	 * it is one less. Otherwise the visit makes it one more.
	 */
	u32 visits;
};

/* The kernel's own workers wait for work, not for the program. */
static bool is_program(const struct task_struct *task)
{
	return !(READ_ONCE(task->flags) & (PF_IO_WORKER | PF_USER_WORKER));
}

static bool has_ended(const struct wall *wall)
{
	return READ_ONCE(wall->end_ns) != U64_MAX;
}

/*
 * Returns the time, but never beyond the end. That holds while the end is being set, too. It may
 * spin for as long as set_end() has interrupts off. ktime_get_ns() waits for an update of its clock
 * in the same way.
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

/* Takes effect at once: the ticks since the last sample are counted by the new period, too. */
static void halve_rate(struct wall_cpu *cpu)
{
	if (!pprof_throttle_halve(&cpu->rate))
		return;
	cpu->ticks.period_ns = cpu->rate.period_ns;
	pprof_ring_set_wall_period(pprof_record_ring(cpu->wall->sink), cpu->rate.period_ns);
}

static void note_cost(struct wall_cpu *cpu, u64 begin)
{
	if (pprof_throttle_tick(begin, cpu->rate.period_ns))
		halve_rate(cpu);
}

/* The weight of a span on this CPU. */
static u64 weight_of(const struct wall_cpu *cpu, u64 from, u64 to)
{
	return pprof_tick_grid_between(&cpu->ticks, from, to) << cpu->rate.halvings;
}

/*
 * Samples current for its ticks until @now. The thread may have come before all CPUs saw the start,
 * and may be younger than since_ns.
 * Context: interrupts off.
 */
static void settle(struct wall_cpu *cpu, u64 now)
{
	u64 begin = get_cycles(), since_ns = max(cpu->since_ns, current->start_time);
	struct pprof_sample_info info = {
		.source = PPROF_SOURCE_WALL, .arg = PPROF_THREAD_RUNNING, .time_ns = now,
		.weight = weight_of(cpu, since_ns, now),
	};

	WRITE_ONCE(cpu->since_ns, now);
	if (!info.weight)
		return;
	pprof_record_sample(cpu->wall->sink, &info);
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
 * Is @next still to be sampled by the CPU to which it comes? While it is visited, both may sample
 * it: the first to claim it does. If this does not see the visit, the visit sees cpu->tid, which is
 * set.
 */
static bool is_owed(struct wall *wall, struct task_struct *next)
{
	u32 visits, mine;

	if (!has_ended(wall))
		return true;
	smp_mb();	/* pairs with weigh() */
	mine = 2 * number_of(wall, next) - 1;
	visits = READ_ONCE(wall->visits);
	return visits < mine ||
	       (visits == mine && cmpxchg(&wall->visits, mine, mine - 1) == mine);
}

static void note_wait(struct wall *wall, const struct task_struct *prev, u64 now, bool blocks)
{
	if (!pprof_wait_table_add(&wall->waits, prev->pid, now, blocks ? BLOCKS : NULL))
		pprof_record_lost(wall->sink, PPROF_SOURCE_WALL, 1, PPROF_LOST_QUEUE);
}

/*
 * A tick that is due but could not fire belongs to the thread that leaves. An exiting thread does
 * not come back. A visited thread needs no entry. At each moment a visit finds the wait or the tid.
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
		hrtimer_start(&cpu->timer, ns_to_ktime(pprof_tick_grid_next(&cpu->ticks, now)),
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Returns since when @task is off its CPU. @wait is its entry, or NULL. A thread that left its CPU
 * since the start has an entry, unless its bucket was full. If the bucket was full at any time, the
 * result is @now. Otherwise the thread did not leave a CPU since the start.
 */
static u64 away_since(const struct wall *wall, const struct task_struct *task,
		      const struct pprof_wait *wait, u64 now)
{
	if (wait)
		return READ_ONCE(wait->since_ns);
	if (pprof_wait_table_is(&wall->waits, task->pid, PPROF_WAIT_TABLE_FULL))
		return now;
	return max(wall->ticks.start_ns, task->start_time);
}

static void comes(struct wall_cpu *cpu, struct task_struct *next, u64 now)
{
	struct pprof_sample_info info = { .source = PPROF_SOURCE_WALL, .time_ns = now };
	struct wall *wall = cpu->wall;
	struct pprof_wait *wait = pprof_wait_table_of(&wall->waits, next);
	bool blocks = !wait || wait->on == BLOCKS;

	WRITE_ONCE(cpu->since_ns, now);
	smp_store_release(&cpu->tid, next->pid);	/* pairs with settled_until() */
	if (!(next->flags & PF_EXITING) && is_owed(wall, next)) {
		info.weight = weight_of(cpu, away_since(wall, next, wait, now), now);
		info.arg = blocks ? pprof_syscall_of(next) : PPROF_THREAD_RUNNABLE;
	}
	if (wait)
		pprof_wait_table_del(wait);	/* the last step, for settled_until() */
	if (info.weight)
		pprof_resume_sample(&wall->resume, next, &info);
	start_timer(cpu, now);
}

/* A thread that comes back costs as much as a tick. */
static void note_resume(struct pprof_resume *resume, u64 begin)
{
	note_cost(this_cpu_ptr(container_of(resume, struct wall, resume)->cpus), begin);
}

static void note_switch(void *state, struct task_struct *prev, struct task_struct *next, u32 flags)
{
	struct wall *wall = state;
	struct wall_cpu *cpu;
	u64 now;

	if (!smp_load_acquire(&wall->begun))	/* pairs with begin() */
		return;
	cpu = this_cpu_ptr(wall->cpus);
	now = now_or_end(wall);
	if (!flags)
		WRITE_ONCE(cpu->tid, 0);	/* the thread that ran here was a target */
	if ((flags & PPROF_SWITCH_PREV) && is_program(prev))
		leaves(cpu, prev, now, flags & PPROF_SWITCH_BLOCKS);
	if ((flags & PPROF_SWITCH_NEXT) && is_program(next))
		comes(cpu, next, now);
}

/*
 * The timer stays queued where a target leaves: the next tick is the same for all threads. So it
 * may fire while no target runs. It may fire on another CPU, if its own went offline. A thread that
 * calls exec gets the tid of its process: read it anew.
 */
static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct wall_cpu *cpu = container_of(timer, struct wall_cpu, timer);
	struct wall *wall = cpu->wall;
	u64 now;

	if (cpu != this_cpu_ptr(wall->cpus) || !cpu->tid || has_ended(wall))
		return HRTIMER_NORESTART;
	if (!pprof_target_has(wall->sink->target, current) || !is_program(current)) {
		WRITE_ONCE(cpu->tid, 0);	/* that thread left as no target */
		return HRTIMER_NORESTART;
	}
	WRITE_ONCE(cpu->tid, current->pid);
	now = now_or_end(wall);
	settle(cpu, now);
	hrtimer_set_expires(timer, ns_to_ktime(pprof_tick_grid_next(&cpu->ticks, now)));
	return HRTIMER_RESTART;
}

/*
 * The thread that runs here came before the probe.
 * Context: its CPU, interrupts off.
 */
static void join_cpu(void *data)
{
	struct wall *wall = data;
	struct wall_cpu *cpu = this_cpu_ptr(wall->cpus);

	if (!pprof_target_has(wall->sink->target, current) || !is_program(current))
		return;
	WRITE_ONCE(cpu->tid, current->pid);
	start_timer(cpu, ktime_get_ns());
}

/* Writes to all rings, as a reader may have mapped only some. */
static void set_span(const struct wall *wall, u64 begin_ns, u64 end_ns)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pprof_ring_set_wall_span(&wall->sink->rings[cpu].ring, begin_ns, end_ns);
}

/* The hook exists now, which took some 0.03 s. The profile begins after that. */
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
	smp_store_release(&wall->begun, true);	/* pairs with note_switch() */
	on_each_cpu(join_cpu, wall, 1);
	set_span(wall, wall->ticks.start_ns, 0);
}

/*
 * The thread that runs at the end gets its last sample.
 * Context: its CPU, interrupts off.
 */
static void end_cpu(void *data)
{
	struct wall *wall = data;
	struct wall_cpu *cpu = this_cpu_ptr(wall->cpus);

	if (!cpu->tid || !pprof_target_has(wall->sink->target, current) || !is_program(current))
		return;
	WRITE_ONCE(cpu->tid, current->pid);
	settle(cpu, wall->end_ns);
}

/* Never lowers it: by an exec a thread gets the tid of its process, which was already visited. */
static void raise_visits(struct wall *wall, u32 visits)
{
	if (READ_ONCE(wall->visits) < visits)
		WRITE_ONCE(wall->visits, visits);
}

/*
 * Returns until when @task has its samples. While a CPU switches to @task, it returns
 * PPROF_SNAPSHOT_COMES: that CPU will look at the visits. For a running thread this function is
 * called on its CPU, where it is current. Its tid may be new, by an exec. So the tid is not
 * compared then.
 */
static u64 settled_until(const struct wall *wall, struct task_struct *task)
{
	const struct pprof_wait *wait = pprof_wait_table_find(&wall->waits, task->pid);
	const struct wall_cpu *cpu = per_cpu_ptr(wall->cpus, task_cpu(task));
	u32 tid = smp_load_acquire(&cpu->tid);	/* pairs with comes() */

	if (tid && task == current)
		return READ_ONCE(cpu->since_ns);
	if (tid == task->pid)
		return PPROF_SNAPSHOT_COMES;
	return away_since(wall, task, wait, wall->end_ns);
}

static u64 weigh(void *ctx, struct task_struct *task)
{
	struct wall *wall = ctx;
	u32 number = number_of(wall, task);
	u64 since_ns;

	if (number)	/* a dead thread has no number any more */
		raise_visits(wall, 2 * number - 1);
	smp_mb();	/* pairs with is_owed() */
	since_ns = settled_until(wall, task);
	return since_ns == PPROF_SNAPSHOT_COMES ? PPROF_SNAPSHOT_COMES :
	       pprof_tick_grid_between(&wall->ticks, since_ns, wall->end_ns);
}

/* From now on the CPU to which the thread comes does not sample it. */
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

/* Hooks of this CPU cannot run meanwhile, as interrupts are off. Those of other CPUs wait. */
static void set_end(struct wall *wall)
{
	unsigned long flags;

	local_irq_save(flags);
	raw_write_seqcount_begin(&wall->ending);
	/* A CPU that read the time after this sees the odd count, and reads it again */
	smp_mb();
	WRITE_ONCE(wall->end_ns, ktime_get_ns());
	raw_write_seqcount_end(&wall->ending);
	local_irq_restore(flags);
}

/*
 * From the end on no tick fires. Switches are still followed until all threads were visited: a
 * thread that exits meanwhile comes back for it, and then gets its time until the end.
 */
static int finish(void *state)
{
	struct wall *wall = state;
	const struct pprof_snapshot_options options = {
		.source = PPROF_SOURCE_WALL, .weigh = weigh,
		.claim = claim, .done = note_visit, .ctx = wall,
	};
	int err;

	if (!has_ended(wall)) {
		set_end(wall);
		on_each_cpu(end_cpu, wall, 1);
		set_span(wall, wall->ticks.start_ns, wall->end_ns);
	}
	err = pprof_snapshot_sample(wall->sink, &options, &wall->next);
	return err || !wall->next ? err : -EAGAIN;
}

static void free_wall(struct wall *wall)
{
	free_percpu(wall->cpus);
	pprof_wait_table_fini(&wall->waits);
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
	wall->ticks = (struct pprof_tick_grid) { .period_ns = period_ns, .seed = get_random_u32() };
	wall->cpus = alloc_percpu_gfp(struct wall_cpu,
				      GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!wall->cpus || pprof_wait_table_init(&wall->waits)) {
		free_wall(wall);
		return NULL;
	}
	init_cpus(wall);
	return wall;
}

/* The probe comes before the start, and the start before the look at the running threads. */
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

/* In this order: the hook that starts timers and asks for samples, the timers, the samples. */
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
