// SPDX-License-Identifier: GPL-2.0
/*
 * Makes threads that lose their CPU in the middle of their end.
 *
 *	tails ROUNDS	one of its threads executes the program again, ROUNDS times. That
 *			ends the other threads
 *	tails hog	uses CPU 1, and sleeps for short times
 *
 * The threads that end run on CPU 1 with SCHED_IDLE, only while the hog sleeps. So it
 * interrupts them. Some of them continue when the former leader of their process has been
 * freed for a long time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/program.h"

#define NR_THREADS	16
#define HOG_SLEEP_US	200
#define HOG_NS		(5 * NSEC_PER_MSEC)

static char rounds_left[16];
static char *args[] = { "tails", rounds_left, NULL };
static pthread_barrier_t barrier;

static void use_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void hog(void)
{
	uint64_t end_ns;

	use_cpu(1);
	for (;;) {
		usleep(HOG_SLEEP_US);
		end_ns = clock_ns(CLOCK_MONOTONIC) + HOG_NS;
		while (clock_ns(CLOCK_MONOTONIC) < end_ns)
			;
	}
}

/* A thread that has opened itself in /proc has more work at its end: proc_flush_pid(). */
static void *wait_for_end(void *arg)
{
	const struct sched_param none = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%ld", (long)syscall(SYS_gettid));
	close(open(path, O_RDONLY));
	use_cpu(1);
	sched_setscheduler(0, SCHED_IDLE, &none);
	pthread_barrier_wait(&barrier);
	pause();
	return arg;
}

static void *execute(void *arg)
{
	use_cpu(0);
	pthread_barrier_wait(&barrier);
	execv("/proc/self/exe", args);
	_exit(1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int rounds;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "hog"))
		hog();
	rounds = atoi(argv[1]);
	if (!rounds)
		return 0;
	use_cpu(0);
	snprintf(rounds_left, sizeof(rounds_left), "%d", rounds - 1);
	pthread_barrier_init(&barrier, NULL, NR_THREADS + 1);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&thread, NULL, wait_for_end, NULL);
	pthread_create(&thread, NULL, execute, NULL);
	pause();
	return 1;
}
