// SPDX-License-Identifier: GPL-2.0
/*
 * Executes itself TIMES times. Its threads do this in turns, the main thread among them.
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

/* The exec of one thread ends all others. */
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
	/* pthread_create() fails with EAGAIN during an exec: copy_fs() checks fs->in_exec. */
	for (long i = 1; i < NR_THREADS; i++)
		pthread_create(&thread, NULL, run, (void *)i);
	run((void *)0L);
	return 1;
}
