// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads contend for a mutex, COUNT times. The holder unlocks it in
 * unlock_contended(), and only after it has seen that the waiter sleeps for the mutex.
 *
 *	contended COUNT
 *
 * Prints the number of unlocks, and bounds for the sum of all waits:
 *
 *	unlocks		COUNT
 *	least_ns	each from when the waiter is seen to sleep, to before the unlock
 *	most_ns		each from before it asks for the mutex, to after the unlock
 *	root_ns		the square root of the sum of the squares of the latter
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define HELD_USEC	200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint turn, done;	/* the number of rounds begun; ended */
static atomic_int waiter_tid;
static uint64_t nr_rounds, began_ns;

/* It yields: the mutex must be the only futex for which these threads wait. */
static void await(atomic_uint *counter, unsigned int value)
{
	while (*counter < value)
		sched_yield();
}

static void *take_lock(void *arg)
{
	waiter_tid = gettid();
	for (unsigned int i = 1; i <= nr_rounds; i++) {
		await(&turn, i);
		began_ns = clock_ns(CLOCK_MONOTONIC);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		done = i;
	}
	return arg;
}

/* /proc/PID/task/TID/syscall shows the syscall in which a thread sleeps, and its arguments. */
static void await_sleep(void)
{
	char path[64], line[64], wanted[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", waiter_tid);
	snprintf(wanted, sizeof(wanted), "%d %p ", SYS_futex, (void *)&lock);
	do {
		file = fopen(path, "r");
		if (!file || !fgets(line, sizeof(line), file)) {
			perror(path);
			exit(1);
		}
		fclose(file);
	} while (strncmp(line, wanted, strlen(wanted)));
}

static KEEP void unlock_contended(void)
{
	pthread_mutex_unlock(&lock);
}

static void contend(void)
{
	uint64_t least_ns = 0, most_ns = 0, asleep_ns;
	double squares = 0, most;

	for (unsigned int i = 1; i <= nr_rounds; i++) {
		pthread_mutex_lock(&lock);
		turn = i;
		await_sleep();
		asleep_ns = clock_ns(CLOCK_MONOTONIC);
		usleep(HELD_USEC);
		least_ns += clock_ns(CLOCK_MONOTONIC) - asleep_ns;
		unlock_contended();
		most = clock_ns(CLOCK_MONOTONIC) - began_ns;
		most_ns += most;
		squares += most * most;
		await(&done, i);
	}
	printf("unlocks=%" PRIu64 "\nleast_ns=%" PRIu64 "\nmost_ns=%" PRIu64 "\nroot_ns=%.0f\n",
	       nr_rounds, least_ns, most_ns, sqrt(squares));
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		usage("contended COUNT");
	nr_rounds = arg_count(argv[1]);
	settle();
	if (pthread_create(&thread, NULL, take_lock, NULL)) {
		perror("pthread_create");
		return 1;
	}
	while (!waiter_tid)
		sched_yield();
	contend();
	pthread_join(thread, NULL);
	return 0;
}
