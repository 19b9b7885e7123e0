// SPDX-License-Identifier: GPL-2.0
// includes: kmod/source/wall.c
// sources: kmod/source/wait_table.c
// libs: -pthread
// include: -Itests/unit/shim -include tests/unit/shim/wall.h
/*
 * Threads move from one CPU to another, start and end, at any moment of the start and the end of a
 * profile. The weights of a thread's samples must add up to the ticks of its life. Other CPUs may
 * switch and tick after a CPU has read the clock, and before it uses the time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

/*
 * Not linked: the tests read struct wall and its timers, and let two threads race in now_or_end()
 * and set_end(), which are static.
 */
#include "kmod/source/wall.c"

#define NR_THREADS	7
#define NR_RUNS		10000
#define NR_ENDS		2000
#define PERIOD_NS	PPROF_MIN_PERIOD_NS

struct thread {
	struct task_struct task;
	bool born;
	bool dead;
	bool comes;	/* a CPU is in the hook of the switch to it */
	bool on_cpu;
	u32 switches;
	u64 left_ns;	/* time that its last CPU read when it left; only if dead */
	u64 weight;	/* of all its samples */
};

struct task_struct *current;
int shim_cpu;
bool shim_irqs_are_off;

static struct task_struct idle;	/* no target, as it has no pid */

static struct pid_namespace ns;
static struct pprof_target target = { .ns = &ns };
static struct pprof_ring_head heads[SHIM_CPUS];
static struct pprof_ring_pages rings[SHIM_CPUS];
static struct pprof_sink sink;
static pprof_switch_fn *switched;
static void *switched_state;	/* struct wall */
static struct thread threads[NR_THREADS], *ran[SHIM_CPUS];
static bool in_hook[SHIM_CPUS];
static u64 now_ns, hook_ns[SHIM_CPUS];
static struct visitor {
	const struct pprof_snapshot_options *options;	/* NULL: no visit now */
	u32 done;	/* number of threads that were visited */
	bool is_looking;	/* in the middle of a visit */
} visitor;
static bool is_real;	/* read the real clock */
static u32 seed;

static u32 below(u32 limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static struct thread *thread_of(const struct task_struct *task)
{
	return container_of(task, struct thread, task);
}

/* Calls @fn on @cpu with interrupts off. The code that it interrupted, if any, then goes on. */
static void on_cpu(int cpu, void (*fn)(void *data), void *data)
{
	int cpu_before = shim_cpu;
	struct task_struct *current_before = current;

	in_hook[cpu] = true;
	shim_cpu = cpu;
	current = ran[cpu] ? &ran[cpu]->task : &idle;
	fn(data);
	in_hook[cpu] = false;
	shim_cpu = cpu_before;
	current = current_before;
}

/* Returns a thread that can run, or NULL: the CPU is idle. The last thread starts late. */
static struct thread *next_thread(void)
{
	struct thread *thread = &threads[below(NR_THREADS)];

	if (thread->comes || thread->on_cpu || thread->dead)
		return NULL;
	if (!thread->born)
		thread->task.start_time = now_ns;
	thread->born = true;
	return thread;
}

/* Only one thread ends: a program without threads has no samples. */
static bool ends(const struct thread *thread)
{
	return thread == &threads[1] && !below(20);
}

/* A thread that ends before all CPUs saw the start needs no samples. */
static void leave(struct thread *thread, u64 left_ns)
{
	const struct wall *wall = switched_state;

	thread->on_cpu = false;
	thread->left_ns = left_ns;
	if (!(thread->task.flags & PF_EXITING))
		return;
	thread->dead = true;
	thread->born = wall && wall->begun;
	thread->task.pid = 0;
}

static void switch_here(void *data)
{
	int cpu = shim_cpu;
	struct thread *prev = ran[cpu], *next = next_thread();
	u32 flags = (prev ? PPROF_SWITCH_PREV : 0) | (next ? PPROF_SWITCH_NEXT : 0);

	if (!flags)
		return;
	if (prev && ends(prev))
		prev->task.flags |= PF_EXITING;
	if (prev)
		prev->switches++;
	if (next) {
		next->comes = true;
		next->task.cpu = cpu;
	}
	hook_ns[cpu] = now_ns;	/* the hook may not read the clock */
	if (switched)
		switched(switched_state, prev ? &prev->task : NULL,
			 next ? &next->task : NULL, flags | (below(2) ? PPROF_SWITCH_BLOCKS : 0));
	if (next) {
		next->comes = false;
		next->on_cpu = true;
	}
	if (prev)
		leave(prev, hook_ns[cpu]);
	ran[cpu] = next;
}

static void tick_here(void *data)
{
	struct wall *wall = switched_state;
	struct hrtimer *timer = wall ? &wall->cpus[shim_cpu].timer : NULL;

	if (!timer || !timer->queued || timer->at_ns > now_ns)
		return;
	timer->queued = false;
	if (timer->fires(timer) == HRTIMER_RESTART)
		timer->queued = true;
}

/* A hook that reads the time while the end is set has to wait. */
static bool has_to_wait(int cpu)
{
	struct wall *wall = switched_state;

	return in_hook[cpu] || (wall && wall->ending & 1);
}

/* A switch or a tick on some CPU, unless it has its interrupts off. */
static void happen(void)
{
	int cpu = below(SHIM_CPUS);

	now_ns += below(PERIOD_NS / 4);
	if (!has_to_wait(cpu))
		on_cpu(cpu, below(2) ? switch_here : tick_here, NULL);
}

/* Time passes: up to @limit - 1 switches or ticks happen on other CPUs. */
static void pass(u32 limit)
{
	for (u32 nr = below(limit); nr; nr--)
		happen();
}

/* Returns the time a little after it was read, so that the other thread can run in between. */
static u64 real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	for (volatile int i = 0; i < 300; i++)
		continue;
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

u64 ktime_get_ns(void)
{
	u64 read_ns = now_ns;

	if (is_real)
		return real_ns();
	hook_ns[shim_cpu] = read_ns;
	pass(3);
	return read_ns;
}

void on_each_cpu(void (*fn)(void *data), void *data, int wait)
{
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++) {
		on_cpu(cpu, fn, data);
		pass(3);
	}
}

u32 get_random_u32(void)
{
	return below(UINT32_MAX);
}

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	return calloc(1, size);
}

struct pprof_ring *pprof_record_ring(struct pprof_sink *to)
{
	return &to->rings[shim_cpu].ring;
}

bool pprof_target_sees(const struct pprof_target *to, const struct task_struct *task)
{
	return task->pid;
}

/* All threads wait in the same system call. */
struct pt_regs *task_pt_regs(const struct task_struct *task)
{
	static struct pt_regs regs = { .cs = SHIM_USER_CS };

	return &regs;
}

bool pprof_throttle_tick(u64 begin, u64 period_ns)
{
	return false;
}

int pprof_switches_add(struct pprof_switches *switches, pprof_switch_fn *fn, void *state)
{
	switched_state = state;
	switched = fn;
	pass(5);
	return 0;
}

void pprof_switches_del(struct pprof_switches *switches, void *state)
{
	switched = NULL;
	switched_state = NULL;
}

int pprof_resume_init(struct pprof_resume *resume, struct pprof_sink *to,
		      void (*note)(struct pprof_resume *resume, u64 begin))
{
	resume->sink = to;
	return 0;
}

void pprof_resume_fini(struct pprof_resume *resume)
{
}

void pprof_resume_sample(struct pprof_resume *resume, struct task_struct *next,
			 const struct pprof_sample_info *info)
{
	thread_of(next)->weight += info->weight;
}

bool pprof_record_sample(struct pprof_sink *to, const struct pprof_sample_info *info)
{
	thread_of(current)->weight += info->weight;
	return true;
}

void pprof_record_lost(struct pprof_sink *to, u32 source, u64 weight, u32 reason)
{
	fail_msg("lost %llu", weight);
}

/* Samples a running thread in an interrupt of its CPU. */
static void sample_current(void *data)
{
	const struct pprof_snapshot_options *options = data;

	thread_of(current)->weight += options->weigh(options->ctx, current);
}

/*
 * Does what visit_task() of kmod/source/thread_snapshot.c does.
 * Returns: false if the thread must be visited again.
 */
static bool look(const struct pprof_snapshot_options *options, struct thread *thread)
{
	u32 switches = thread->switches;
	u64 weight;

	if (thread->on_cpu && in_hook[thread->task.cpu])
		return false;
	if (thread->on_cpu) {
		on_cpu(thread->task.cpu, sample_current, (void *)options);
		return true;
	}
	weight = options->weigh(options->ctx, &thread->task);
	if (weight == PPROF_SNAPSHOT_COMES)
		return false;	/* the interrupt comes after the switch to it */
	if (!weight)
		return true;
	pass(3);
	if (thread->on_cpu || thread->switches != switches)
		return false;
	pass(5);	/* claim() is for a thread that comes back just now */
	if (!options->claim(options->ctx, &thread->task))
		return false;
	thread->weight += weight;
	return true;
}

/* Tries once to visit the next thread. The visitor runs on a third CPU. */
static void visit(void)
{
	struct thread *thread = &threads[visitor.done];

	visitor.is_looking = true;
	if (!thread->born || thread->dead || look(visitor.options, thread)) {
		pass(3);
		if (thread->born && !thread->dead)
			visitor.options->done(visitor.options->ctx, &thread->task);
		visitor.done++;
	}
	visitor.is_looking = false;
}

/* wall.c reads the number of a thread in the middle of a hook. A visit may come in between. */
u32 shim_number(const struct task_struct *task)
{
	if (visitor.options && !visitor.is_looking && visitor.done < NR_THREADS && below(2))
		visit();
	return task->pid;
}

int pprof_snapshot_sample(struct pprof_sink *to, const struct pprof_snapshot_options *options,
			  u32 *next)
{
	visitor = (struct visitor){ .options = options };
	while (visitor.done < NR_THREADS) {
		visit();
		pass(3);
	}
	visitor.options = NULL;
	return 0;
}

static void reset(u32 run)
{
	seed = run;
	now_ns = 1000000;
	switched = NULL;
	sink = (struct pprof_sink){ .target = &target, .rings = rings };
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++)
		rings[cpu].ring.head_page = &heads[cpu];
	for (int i = 0; i < NR_THREADS; i++)
		threads[i] = (struct thread){ .task.pid = 100 + i, .born = i < NR_THREADS - 1 };
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++)
		ran[cpu] = NULL;
}

/* Returns the ticks of a thread's life, from the start to the end of the profile. */
static u64 ticks_of(const struct wall *wall, const struct thread *thread)
{
	u64 from = max(wall->ticks.start_ns, thread->task.start_time);
	u64 to = thread->dead ? min(thread->left_ns, wall->end_ns) : wall->end_ns;

	return thread->born ? pprof_tick_grid_between(&wall->ticks, from, to) : 0;
}

static void run_once(u32 run)
{
	struct wall *wall;
	void *state;

	reset(run);
	pass(50);
	assert_int_equal(pprof_src_wall.start(&sink, PERIOD_NS, &state), 0);
	wall = state;
	pass(400);
	assert_int_equal(pprof_src_wall.finish(state), 0);
	assert_int_equal(heads[1].wall_begin_ns, wall->ticks.start_ns);
	assert_int_equal(heads[1].wall_end_ns, wall->end_ns);
	for (int i = 0; i < NR_THREADS; i++)
		if (threads[i].weight != ticks_of(wall, &threads[i]))
			fail_msg("run %u: thread %d has %llu, not %llu", run, i, threads[i].weight,
				 ticks_of(wall, &threads[i]));
	pprof_src_wall.stop(state);
}

static void test_all_have_their_ticks(void **state)
{
	for (u32 run = 0; run < NR_RUNS; run++)
		run_once(run);
}

static void *take_times(void *arg)
{
	struct wall *wall = arg;
	u64 last = 0;

	for (int i = 0; i < 100; i++)
		last = now_or_end(wall);
	while (!has_ended(wall))
		last = now_or_end(wall);
	return (void *)last;
}

/* Fails if a CPU that sees no end yet can read a time after it. */
static void test_no_time_is_beyond_the_end(void **state)
{
	pthread_t other;
	void *last;

	is_real = true;
	for (int i = 0; i < NR_ENDS; i++) {
		struct wall wall = { .end_ns = U64_MAX };

		assert_int_equal(pthread_create(&other, NULL, take_times, &wall), 0);
		usleep(i % 100);
		set_end(&wall);
		assert_int_equal(pthread_join(other, &last), 0);
		if ((u64)last > wall.end_ns)
			fail_msg("%llu is after %llu", (u64)last, wall.end_ns);
	}
	is_real = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_have_their_ticks),
		cmocka_unit_test(test_no_time_is_beyond_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
