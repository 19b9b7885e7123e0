// SPDX-License-Identifier: GPL-2.0
/*
 * Four threads, w40, w30, w20 and w10, do 40, 30, 20 and 10 % of the work, for SECONDS of CPU
 * time in all. They meet after each round, so the shares hold at any time, however the kernel
 * schedules the threads.
 *
 *	threads4 SECONDS
 *
 * Prints for each NAME, its CPU time; NAME_ran, how long it ran by the wall clock; and
 * NAME_lived, from before its creation until it was joined. Then waited, how long main()
 * waited for them, and cpu_ns, the CPU time of the process. All are in ns.
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "program.h"

#define NR_WORKERS	4

struct worker {
	const char *name;
	uint64_t iters;		/* work in a round */
	uint64_t cpu_ns, begin_ns, ran_ns;
	pthread_t thread;
};

static struct worker workers[NR_WORKERS] = {
	{ .name = "w40", .iters = 40 * SLICE },
	{ .name = "w30", .iters = 30 * SLICE },
	{ .name = "w20", .iters = 20 * SLICE },
	{ .name = "w10", .iters = 10 * SLICE },
};

static pthread_barrier_t barrier;
static uint64_t run_ns;
/* The first worker sets it before the round ends, so that all leave after the same round. */
static atomic_ulong last_round = ULONG_MAX;

static KEEP void work_share(uint64_t iters)
{
	spin(iters);
}

static void *run_worker(void *arg)
{
	struct worker *worker = arg;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	unsigned long round;

	pthread_setname_np(pthread_self(), worker->name);
	for (round = 0; round <= last_round; round++) {
		work_share(worker->iters);
		if (worker == workers && cpu_ns() >= run_ns && last_round == ULONG_MAX)
			last_round = round;
		pthread_barrier_wait(&barrier);
	}
	worker->cpu_ns = thread_ns();
	worker->ran_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	return NULL;
}

static uint64_t waited_ns;

static KEEP void join(const struct worker *worker)
{
	waited_ns -= clock_ns(CLOCK_MONOTONIC);
	pthread_join(worker->thread, NULL);
	waited_ns += clock_ns(CLOCK_MONOTONIC);
	printf("%s=%" PRIu64 "\n%s_ran=%" PRIu64 "\n%s_lived=%" PRIu64 "\n", worker->name,
	       worker->cpu_ns, worker->name, worker->ran_ns, worker->name,
	       clock_ns(CLOCK_MONOTONIC) - worker->begin_ns);
}

int main(int argc, char **argv)
{
	struct worker *worker;
	int err;

	if (argc != 2)
		usage("threads4 SECONDS");
	run_ns = arg_seconds(argv[1]);

	pthread_barrier_init(&barrier, NULL, NR_WORKERS);
	for (worker = workers; worker < workers + NR_WORKERS; worker++) {
		worker->begin_ns = clock_ns(CLOCK_MONOTONIC);
		err = pthread_create(&worker->thread, NULL, run_worker, worker);
		if (err) {
			fprintf(stderr, "pthread_create: error %d\n", err);
			return 1;
		}
	}
	for (worker = workers; worker < workers + NR_WORKERS; worker++)
		join(worker);
	printf("waited=%" PRIu64 "\ncpu_ns=%" PRIu64 "\n", waited_ns, cpu_ns());
	return 0;
}
