// SPDX-License-Identifier: GPL-2.0
/*
 * Executes itself over and over, each time from another of its threads, for
 * SECONDS, and NR_EXECS times at least, however slow that is.
 *
 *	execloop SECONDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NR_THREADS	3
#define NR_EXECS	50

static char end_text[32], count_text[32];
static char *args[] = { "execloop", "until", end_text, count_text, NULL };
static long count;

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* All but one of the threads end by the exec of that one. */
static void *run(void *arg)
{
	long nr = (long)arg;

	if (nr == count % NR_THREADS)
		execv("/proc/self/exe", args);
	for (;;)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	time_t end;

	if (argc == 2)
		end = seconds() + atol(argv[1]);
	else if (argc == 4)
		end = atol(argv[2]);
	else
		return 2;
	count = argc == 4 ? atol(argv[3]) + 1 : 0;
	if (seconds() >= end && count >= NR_EXECS) {
		printf("execs=%ld\n", count);
		return 0;
	}
	snprintf(end_text, sizeof(end_text), "%ld", (long)end);
	snprintf(count_text, sizeof(count_text), "%ld", count);
	for (long i = 1; i < NR_THREADS; i++)
		pthread_create(&thread, NULL, run, (void *)i);
	run((void *)0L);
	return 1;
}
