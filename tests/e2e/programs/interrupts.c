// SPDX-License-Identifier: GPL-2.0
/*
 * How many interrupts of another CPU does a user cause?
 *
 *   interrupts start|setup|snapshot
 *
 * All threads of the program run on CPU 0, in as many sessions as a user may have. Each of them
 * - start: starts and stops the sources cpu and block, or
 * - setup: opens a session, sets it up, and closes it, or
 * - snapshot: the same with PPROF_SETUP_SNAPSHOT.
 * The program prints how many function calls and TLB flushes interrupted CPU 1 per second. The
 * calls that are let through at once come before that.
 */
#include <pthread.h>
#include <sched.h>

#include "device.h"

#define NR_SESSIONS	4	/* PPROF_MAX_USER_SESSIONS */
#define NR_ROUNDS_BEFORE	14
#define NR_ROUNDS	10

static unsigned long nr_rounds;

static unsigned long nr_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long sum = 0, first, second;
	char line[4096], name[8];

	if (!file)
		give_up("/proc/interrupts");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " %7[A-Z]: %lu %lu", name, &first, &second) == 3 &&
		    (!strcmp(name, "CAL") || !strcmp(name, "TLB")))
			sum += second;
	fclose(file);
	return sum;
}

static int open_session(unsigned int flags)
{
	int fd = open_device();

	check("setup", setup(fd, flags, RING_BYTES), 0);
	check("attach", attach(fd, getpid(), NULL), 0);
	return fd;
}

static void count_round(void)
{
	__atomic_add_fetch(&nr_rounds, 1, __ATOMIC_RELAXED);
}

static void *start_and_stop(void *arg)
{
	static const unsigned int sources[] = { PPROF_SOURCE_CPU, PPROF_SOURCE_BLOCK };
	int fd = open_session(0);

	for (;; count_round())
		for (int i = 0; i < 2; i++) {
			check("start", start(fd, sources[i], 1000000000), 0);
			check("stop", stop(fd, sources[i]), 0);
		}
	return arg;
}

static void *open_and_close(void *flags)
{
	for (;; count_round())
		close(open_session((uintptr_t)flags));
	return flags;
}

static void await_rounds(unsigned long nr)
{
	while (__atomic_load_n(&nr_rounds, __ATOMIC_RELAXED) < nr)
		usleep(10000);
}

static void run(void *(*rounds)(void *), uintptr_t flags)
{
	pthread_t thread;

	for (int i = 0; i < NR_SESSIONS; i++)
		if (pthread_create(&thread, NULL, rounds, (void *)flags))
			give_up("pthread_create");
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "start";
	unsigned long before;
	cpu_set_t cpus;
	double begin;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		give_up("sched_setaffinity");
	if (!strcmp(mode, "start"))
		run(start_and_stop, 0);
	else
		run(open_and_close, strcmp(mode, "setup") ? PPROF_SETUP_SNAPSHOT : 0);
	await_rounds(NR_ROUNDS_BEFORE);
	before = nr_interrupts();
	begin = now_seconds();
	await_rounds(NR_ROUNDS_BEFORE + NR_ROUNDS);
	printf("%s=%.1f\n", mode, (nr_interrupts() - before) / (now_seconds() - begin));
	fflush(stdout);
	_exit(nr_problems);	/* the threads wait in the module */
}
