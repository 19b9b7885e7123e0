// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of context switches while waits are profiled. If an instruction takes a
 * nanosecond (tests/vm/run --icount) and no other program runs, times are numbers of
 * instructions. Prints key=value lines: ns of a switch, or of a turn with the lock.
 *
 *	switches bare	two threads yield, and (wakes) wake each other; for a machine without
 *			the module
 *	switches others	the same, while a session profiles another process with all sources
 *	switches block	50,000 switches a second, without and with the source block
 *	switches mutex	a contended lock, without and with the source mutex
 *	switches lock	the contended lock alone, for a profiler from outside
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/heap_probes.h"
#include "session.h"
#include "../programs/program.h"

#define NR_SWITCHES	40000
#define NR_LOCKS	5000	/* by each thread */
#define NR_THREADS	3
#define WORK		4500	/* with the switch about 20 us: 50,000 switches a second */
#define RING_BYTES	(16U << 20)
#define BLOCK_RATE_NS	1000000
#define TICK_NS		10000000
#define GROWTH_BYTES	65536
#define HEAP_BYTES	524288

static int there[2], back[2];
static uint64_t work;

static void pass(int in, int out)
{
	char c;

	if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
		die("passing the token", errno);
}

static void *answer(void *arg)
{
	for (int i = 0; i < NR_SWITCHES / 2; i++) {
		pass(there[0], back[1]);
		spin(work);
	}
	return arg;
}

/* Two threads on one CPU wait for each other, in turns. */
static KEEP double ping_pong(void)
{
	pthread_t thread;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	if (write(back[1], "x", 1) != 1 || pthread_create(&thread, NULL, answer, NULL))
		die("beginning to play", errno);
	for (int i = 0; i < NR_SWITCHES / 2; i++) {
		pass(back[0], there[1]);
		spin(work);
	}
	pthread_join(thread, NULL);
	if (read(back[0], &(char){ 0 }, 1) != 1)
		die("taking the token", errno);
	return (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / NR_SWITCHES;
}

static void *yield_turns(void *arg)
{
	for (int i = 0; i < NR_SWITCHES; i++)
		sched_yield();
	return arg;
}

/* The scheduler may ignore a yield, so its own count of switches is used. */
static KEEP double yield(void)
{
	struct rusage before, after;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;

	getrusage(RUSAGE_SELF, &before);
	if (pthread_create(&thread, NULL, yield_turns, NULL))
		die("creating a thread", errno);
	yield_turns(NULL);
	pthread_join(thread, NULL);
	getrusage(RUSAGE_SELF, &after);
	return (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) /
	       (after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static KEEP void locked_turn(void)
{
	pthread_mutex_lock(&lock);
	spin(WORK);
	sched_yield();	/* the other threads run now, and have to wait for the lock */
	pthread_mutex_unlock(&lock);
}

static void *take_turns(void *arg)
{
	for (int i = 0; i < NR_LOCKS; i++)
		locked_turn();
	return arg;
}

static KEEP double contend(void)
{
	pthread_t threads[NR_THREADS];
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, take_turns, NULL))
			die("creating a thread", errno);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / (NR_THREADS * NR_LOCKS);
}

static void start(struct device *session, uint32_t source)
{
	static const uint64_t periods[PPROF_NR_SOURCES] = {
		[PPROF_SOURCE_CPU] = TICK_NS, [PPROF_SOURCE_WALL] = TICK_NS,
		[PPROF_SOURCE_BLOCK] = BLOCK_RATE_NS, [PPROF_SOURCE_MUTEX] = 1,
		[PPROF_SOURCE_GROWTH] = GROWTH_BYTES, [PPROF_SOURCE_HEAP] = HEAP_BYTES,
	};

	need("starting a source", device_start(session, source, periods[source]));
}

static uint64_t nr_produced(struct device *session, uint32_t source)
{
	uint64_t nr = 0;

	for (uint32_t cpu = 0; cpu < device_nr_rings(session); cpu++)
		if (device_ring(session, cpu))
			nr += device_ring(session, cpu)->head_page->produced[source];
	return nr;
}

/* Without the source before and after: a drift of the machine is in both values. */
static void measure_own(const char *name, double (*run)(void), uint32_t source)
{
	struct device *session = session_open(getpid(), PPROF_SETUP_TABLES, RING_BYTES, 0);
	double without, with;

	session_send_tables(session, getpid());
	run();
	without = run();
	start(session, source);
	with = run();
	printf("%s_samples=%" PRIu64 "\n", name, nr_produced(session, source));
	need("stopping a source", device_stop(session, source));
	without = (without + run()) / 2;
	printf("%s_without_ns=%.1f\n%s_ns=%.1f\n", name, without, name, with);
	device_close(session);
}

/* The uprobes of heap are in the target's memory alone, so a switch does not hit them. */
static void start_heap(struct device *session, pid_t pid)
{
	struct heap *heap = heap_new();

	if (!heap || heap_set_device(heap, session) || heap_add_process(heap, pid))
		die("the allocator of another process", EINVAL);
	start(session, PPROF_SOURCE_HEAP);
	heap_free(heap);
}

/* Starts all sources. They stop with the session. */
static struct device *start_all(pid_t pid)
{
	static const uint32_t sources[] = {
		PPROF_SOURCE_CPU, PPROF_SOURCE_WALL, PPROF_SOURCE_THREADCREATE,
		PPROF_SOURCE_BLOCK, PPROF_SOURCE_MUTEX, PPROF_SOURCE_GROWTH,
	};
	struct device *session = session_open(pid, PPROF_SETUP_TABLES, RING_BYTES, 0);

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		start(session, sources[i]);
	start_heap(session, pid);
	return session;
}

/* Prints the second of two runs: the first one fills caches and allocates memory. */
static void measure(const char *name, const char *how, double (*run)(void))
{
	run();
	printf("%s%s_ns=%.1f\n", name, how, run());
}

static void measure_both(const char *how)
{
	measure("others", how, yield);
	measure("wakes", how, ping_pong);
}

static void measure_others(void)
{
	pid_t other = fork();
	struct device *session;

	if (!other) {
		pause();
		_exit(0);
	}
	session = start_all(other);
	measure_both("");
	device_close(session);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (pipe(there) || pipe(back))
		die("pipe", errno);
	if (!strcmp(what, "bare")) {
		measure_both("_without");
	} else if (!strcmp(what, "others")) {
		measure_others();
	} else if (!strcmp(what, "block")) {
		work = WORK;
		measure_own("block", ping_pong, PPROF_SOURCE_BLOCK);
	} else if (!strcmp(what, "mutex")) {
		measure_own("mutex", contend, PPROF_SOURCE_MUTEX);
	} else if (!strcmp(what, "lock")) {
		contend();
		printf("lock_ns=%.1f\n", contend());
	} else {
		usage("switches bare|others|block|mutex|lock");
	}
	return 0;
}
