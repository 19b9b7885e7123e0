// SPDX-License-Identifier: GPL-2.0
/*
 * Creates COUNT threads, one after another. Nine of ten are created in site_done() and
 * joined, after a millisecond or more. One of ten is created in site_leak() and stays. The
 * program runs until it is killed.
 *
 *	leaks COUNT
 *
 * Prints done and leaked, the numbers of both, and lived_ns: how long those of site_done()
 * lived in all, from before their creation until they were joined.
 */
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "program.h"

static void *leave(void *arg)
{
	const struct timespec millisecond = { .tv_nsec = NSEC_PER_MSEC };

	nanosleep(&millisecond, NULL);
	return arg;
}

static void *stay(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static KEEP pthread_t create(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL)) {
		perror("pthread_create");
		exit(1);
	}
	return thread;
}

static KEEP uint64_t site_done(void)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	pthread_join(create(leave), NULL);
	return clock_ns(CLOCK_MONOTONIC) - begin;
}

static KEEP void site_leak(void)
{
	create(stay);
}

int main(int argc, char **argv)
{
	uint64_t count, lived_ns = 0, nr_leaked = 0;

	if (argc != 2)
		usage("leaks COUNT");
	count = arg_count(argv[1]);
	settle();
	for (uint64_t i = 1; i <= count; i++) {
		if (i % 10) {
			lived_ns += site_done();
		} else {
			site_leak();
			nr_leaked++;
		}
	}
	printf("done=%" PRIu64 "\nleaked=%" PRIu64 "\nlived_ns=%" PRIu64 "\n", count - nr_leaked,
	       nr_leaked, lived_ns);
	fflush(stdout);
	for (;;)
		pause();
}
