// SPDX-License-Identifier: GPL-2.0
/*
 * Uses CPU time, makes a thread, and sleeps, over and over, until it is killed. So there is
 * something to sample, and a slow kernel has time left for other processes.
 *
 *	trickle		never executes another program
 *	trickle execs	executes itself now and then
 */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RUN_NS		2000000L
#define SLEEP_NS	8000000L
#define EXEC_ROUNDS	200

static long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* With thread=single, QEMU changes to its next processor at a pause instruction. */
static void *run(void *arg)
{
	long end = cpu_ns() + RUN_NS;

	while (cpu_ns() < end)
		for (int i = 0; i < 1000; i++)
			__builtin_ia32_pause();
	return arg;
}

int main(int argc, char **argv)
{
	int execs = argc == 2 && !strcmp(argv[1], "execs");
	struct timespec pause = { .tv_nsec = SLEEP_NS };
	pthread_t thread;

	if (argc != 1 + execs)
		return 2;
	for (long round = 1; !execs || round < EXEC_ROUNDS; round++) {
		run(NULL);
		if (!pthread_create(&thread, NULL, run, NULL))
			pthread_join(thread, NULL);
		nanosleep(&pause, NULL);
	}
	execv("/proc/self/exe", argv);
	return 1;
}
