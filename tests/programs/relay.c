// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps THREADS short-lived threads besides the first one. Each sleeps for MILLISECONDS, creates
 * its successor in hand_over(), and ends. Runs until it is killed, and prints nothing.
 *
 *	relay THREADS MILLISECONDS
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "program.h"

static uint64_t life_ns;

/* Until an absolute time: threads that were late together would else stay together for ever. */
static void sleep_until(uint64_t ns)
{
	const struct timespec time = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		continue;
}

static void *run(void *arg);

static KEEP void hand_over(uint64_t end_ns)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)end_ns) || pthread_detach(thread)) {
		perror("pthread_create");
		exit(1);
	}
}

static void *run(void *arg)
{
	uint64_t end_ns = (uint64_t)arg;

	sleep_until(end_ns);
	hand_over(end_ns + life_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t count, at_ns, begin_ns = clock_ns(CLOCK_MONOTONIC);

	if (argc != 3)
		usage("relay THREADS MILLISECONDS");
	count = arg_count(argv[1]);
	life_ns = arg_msec(argv[2]);
	/* Their starts, and so their ends, are spread over one lifetime. */
	for (uint64_t i = 0; i < count; i++) {
		at_ns = begin_ns + i * life_ns / count;
		sleep_until(at_ns);
		hand_over(at_ns + life_ns);
	}
	for (;;)
		pause();
}
