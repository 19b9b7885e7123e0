// SPDX-License-Identifier: GPL-2.0
/*
 * Works until it is killed. A timer interrupts the work 500 times a second, for a handler that
 * spins: main, worker, (signal frame), on_alarm, spin. "thread": a thread does so, not main().
 * Prints "up" when it begins.
 *
 *	handlers [thread]
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"

static volatile unsigned long sink;

static void on_alarm(int signal)
{
	(void)signal;
	spin(SLICE);
}

static KEEP void *worker(void *arg)
{
	const struct itimerval timer = { { 0, 2000 }, { 0, 2000 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	if (write(STDOUT_FILENO, "up\n", 3) != 3)
		exit(1);
	for (;;)
		sink++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t alarm;

	(void)argv;
	if (argc == 1)
		worker(NULL);
	if (pthread_create(&thread, NULL, worker, NULL))
		return 1;
	/* The signal goes to the thread. */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	pthread_join(thread, NULL);
	return 0;
}
