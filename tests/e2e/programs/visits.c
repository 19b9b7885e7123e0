// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads take snapshots of the threads of their process, over and over, in one session.
 * A user without CAP_PERFMON must wait for at least a tick of the kernel after each one. Only
 * this lower bound is checked: the real time depends on the machine.
 *
 *	visits
 *
 * Prints the time and the bound, and exits with 1 if the time is too short.
 */
#include <pthread.h>
#include <unistd.h>

#include "device.h"

#define NR_CALLS	50
#define NR_CALLERS	2
#define NSEC_PER_SEC	1000000000ULL

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* The resolution of the coarse clocks is a tick. */
static unsigned long long tick_ns(void)
{
	struct timespec t;

	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_nsec;
}

static void *call(void *fd)
{
	for (int i = 0; i < NR_CALLS; i++) {
		struct pprof_threads threads = { .size = sizeof(threads) };

		if (ioctl(*(int *)fd, PPROF_IOC_THREADS, &threads))
			give_up("threads");
	}
	return NULL;
}

int main(void)
{
	unsigned long long begin, took, least = (NR_CALLERS * NR_CALLS - 1) * tick_ns();
	pthread_t callers[NR_CALLERS];
	int fd = open_device();

	check("setup", setup(fd, 0, RING_BYTES), 0);
	check("attach", attach(fd, getpid(), NULL), 0);
	begin = now_ns();
	for (int i = 0; i < NR_CALLERS; i++)
		if (pthread_create(&callers[i], NULL, call, &fd))
			give_up("pthread_create");
	for (int i = 0; i < NR_CALLERS; i++)
		pthread_join(callers[i], NULL);
	took = now_ns() - begin;
	printf("took %llu ns, expected %llu at least\n", took, least);
	check_that("paid", took >= least);
	return conclude();
}
