// SPDX-License-Identifier: GPL-2.0
/*
 * Creates ten threads that stay, and one more, which executes PROGRAM. All other threads end
 * then, and PROGRAM runs under the tid of the first thread. Prints nothing itself.
 *
 *	threadexec PROGRAM [ARG...]
 */
#include <pthread.h>
#include <unistd.h>

#include "program.h"

#define NR_OTHERS	10

static void *stay(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *execute(void *arg)
{
	char **argv = arg;

	execvp(argv[0], argv);
	perror(argv[0]);
	exit(1);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i, err = 0;

	if (argc < 2)
		usage("threadexec PROGRAM [ARG...]");
	for (i = 0; !err && i < NR_OTHERS; i++)
		err = pthread_create(&thread, NULL, stay, NULL);
	if (err || pthread_create(&thread, NULL, execute, argv + 1)) {
		fprintf(stderr, "cannot create threads\n");
		return 1;
	}
	pthread_join(thread, NULL);
}
