// SPDX-License-Identifier: GPL-2.0
/*
 * A process whose first thread has ended. Another thread works for SECONDS of CPU time, in
 * work_on(), and allocates 64 KiB for each slice of the work. Prints nothing.
 *
 *	headless SECONDS
 */
#include <pthread.h>

#include "program.h"

static uint64_t run_ns;

static KEEP void work_on(void)
{
	void *volatile object = malloc(64 << 10);

	spin(SLICE);
	free(object);
}

static void *work(void *arg)
{
	while (thread_ns() < run_ns)
		work_on();
	exit(0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		usage("headless SECONDS");
	run_ns = arg_seconds(argv[1]);
	if (pthread_create(&thread, NULL, work, NULL)) {
		perror("pthread_create");
		return 1;
	}
	pthread_exit(NULL);
}
