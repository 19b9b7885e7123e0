// SPDX-License-Identifier: GPL-2.0
/*
 * There are as many threads at any time, besides the first, but none lives long: each
 * sleeps, creates the one after it, and ends. Runs until it is killed.
 *
 *	relay THREADS MILLISECONDS
 */
#include <pthread.h>
#include <unistd.h>

#include "load.h"

static uint64_t life_ns;

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	nanosleep(&time, NULL);
}

static void *run(void *arg);

static KEEP void hand_over(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL) || pthread_detach(thread)) {
		perror("pthread_create");
		exit(1);
	}
}

static void *run(void *arg)
{
	sleep_ns(life_ns);
	hand_over();
	return arg;
}

int main(int argc, char **argv)
{
	uint64_t count;

	if (argc != 3)
		usage("relay THREADS MILLISECONDS");
	count = arg_count(argv[1]);
	life_ns = arg_msec(argv[2]);
	/* They end one after the other, too. */
	for (uint64_t i = 0; i < count; i++) {
		hand_over();
		sleep_ns(life_ns / count);
	}
	for (;;)
		pause();
}
