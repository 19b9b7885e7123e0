// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that end, and whose CPU is taken from them before they have: a thread of
 * a program executes it anew, over and over, for SECONDS. The others run only while the hog
 * on their CPU sleeps, so that it comes in between as they end; some go on when their
 * process's former leader has long been freed.
 *
 *	tails SECONDS
 *	tails hog
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NR_THREADS	16
#define HOG_SLEEP_US	200
#define HOG_NS		5000000

static char end_text[32], count_text[32];
static char *args[] = { "tails", "until", end_text, count_text, NULL };
static pthread_barrier_t barrier;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void use_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void hog(void)
{
	long long end;

	use_cpu(1);
	for (;;) {
		usleep(HOG_SLEEP_US);
		for (end = now_ns() + HOG_NS; now_ns() < end;)
			;
	}
}

/* Who looks itself up in /proc has more to do at its end: proc_flush_pid(). */
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
	long long end;
	long count;

	if (argc == 2 && !strcmp(argv[1], "hog"))
		hog();
	if (argc != 2 && argc != 4)
		return 2;
	use_cpu(0);
	end = argc == 4 ? atoll(argv[2]) : now_ns() + atoll(argv[1]) * 1000000000;
	count = argc == 4 ? atol(argv[3]) + 1 : 0;
	if (now_ns() >= end) {
		printf("ends=%ld\n", count);
		return 0;
	}
	snprintf(end_text, sizeof(end_text), "%lld", end);
	snprintf(count_text, sizeof(count_text), "%ld", count);
	pthread_barrier_init(&barrier, NULL, NR_THREADS + 1);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&thread, NULL, wait_for_end, NULL);
	pthread_create(&thread, NULL, execute, NULL);
	pause();
	return 1;
}
