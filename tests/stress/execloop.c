// SPDX-License-Identifier: GPL-2.0
/*
 * Executes itself TIMES times, each time from another of its threads.
 *
 *	execloop TIMES
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NR_THREADS	3

static char left_text[32];
static char *args[] = { "execloop", left_text, NULL };
static long left;

/* All but one of the threads end by the exec of that one. */
static void *run(void *arg)
{
	long nr = (long)arg;

	if (nr == left % NR_THREADS) {
		execv("/proc/self/exe", args);
		exit(1);
	}
	for (;;)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		return 2;
	left = atol(argv[1]);
	if (!left)
		return 0;
	snprintf(left_text, sizeof(left_text), "%ld", left - 1);
	/* -EAGAIN if the one before is executing already: fs->in_exec, copy_fs(). */
	for (long i = 1; i < NR_THREADS; i++)
		pthread_create(&thread, NULL, run, (void *)i);
	run((void *)0L);
	return 1;
}
