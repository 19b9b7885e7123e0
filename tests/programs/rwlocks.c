// SPDX-License-Identifier: GPL-2.0
/*
 * Holds a rwlock for MS of the wall clock while other threads wait for it, three times:
 *
 *	unlock_to_readers()	held for writing; four readers wait, and a fifth
 *				gives up halfway
 *	unlock_to_writer()	held for reading, twice; a writer waits. The first of
 *				the two unlocks, halfway, wakes no one
 *	unlock_to_writers()	held for writing; two writers wait
 *
 *	rwlocks MS
 *
 * Prints readers_ns, writer_ns and writers_ns: for each of these functions the time that its
 * waiters had waited before it was called, in all.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "program.h"

#define NR_READERS	4
#define NR_WRITERS	2

struct waiter {
	pthread_t thread;
	int (*take)(pthread_rwlock_t *lock);
	uint64_t began_ns;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static KEEP void unlock_to_readers(void)
{
	pthread_rwlock_unlock(&lock);
}

static KEEP void unlock_to_writer(void)
{
	pthread_rwlock_unlock(&lock);
}

static KEEP void unlock_to_writers(void)
{
	pthread_rwlock_unlock(&lock);
}

static KEEP void unlock_short(void)
{
	pthread_rwlock_unlock(&lock);
}

static void *wait_for_lock(void *arg)
{
	struct waiter *waiter = arg;

	waiter->began_ns = clock_ns(CLOCK_MONOTONIC);
	waiter->take(&lock);
	unlock_short();
	return NULL;
}

static void start(struct waiter *waiters, int nr, int (*take)(pthread_rwlock_t *lock))
{
	for (int i = 0; i < nr; i++) {
		waiters[i].take = take;
		pthread_create(&waiters[i].thread, NULL, wait_for_lock, &waiters[i]);
	}
}

/* Joins the waiters, which can take the lock now, and prints their waits until until_ns. */
static void tell_waits(const char *name, struct waiter *waiters, int nr, uint64_t until_ns)
{
	uint64_t sum_ns = 0;

	for (int i = 0; i < nr; i++) {
		pthread_join(waiters[i].thread, NULL);
		sum_ns += until_ns - waiters[i].began_ns;
	}
	printf("%s_ns=%" PRIu64 "\n", name, sum_ns);
}

static void *give_up_halfway(void *span_ns)
{
	uint64_t end_ns = clock_ns(CLOCK_REALTIME) + *(uint64_t *)span_ns / 2;
	struct timespec until = { end_ns / NSEC_PER_SEC, end_ns % NSEC_PER_SEC };

	if (pthread_rwlock_timedrdlock(&lock, &until) != ETIMEDOUT)
		exit(1);
	return NULL;
}

static void hold_from_readers(uint64_t span_ns)
{
	struct waiter waiters[NR_READERS];
	uint64_t until_ns;
	pthread_t quitter;

	pthread_rwlock_wrlock(&lock);
	start(waiters, NR_READERS, pthread_rwlock_rdlock);
	pthread_create(&quitter, NULL, give_up_halfway, &span_ns);
	usleep(span_ns / NSEC_PER_USEC);
	pthread_join(quitter, NULL);
	until_ns = clock_ns(CLOCK_MONOTONIC);
	unlock_to_readers();
	tell_waits("readers", waiters, NR_READERS, until_ns);
}

/* One thread may hold it for reading more than once. */
static void hold_from_writer(uint64_t span_ns)
{
	struct waiter waiter;
	uint64_t until_ns;

	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock);
	start(&waiter, 1, pthread_rwlock_wrlock);
	usleep(span_ns / 2 / NSEC_PER_USEC);
	unlock_short();
	usleep(span_ns / 2 / NSEC_PER_USEC);
	until_ns = clock_ns(CLOCK_MONOTONIC);
	unlock_to_writer();
	tell_waits("writer", &waiter, 1, until_ns);
}

static void hold_from_writers(uint64_t span_ns)
{
	struct waiter waiters[NR_WRITERS];
	uint64_t until_ns;

	pthread_rwlock_wrlock(&lock);
	start(waiters, NR_WRITERS, pthread_rwlock_wrlock);
	usleep(span_ns / NSEC_PER_USEC);
	until_ns = clock_ns(CLOCK_MONOTONIC);
	unlock_to_writers();
	tell_waits("writers", waiters, NR_WRITERS, until_ns);
}

int main(int argc, char **argv)
{
	uint64_t span_ns;

	if (argc != 2)
		usage("rwlocks MS");
	span_ns = arg_msec(argv[1]);
	hold_from_readers(span_ns);
	hold_from_writer(span_ns);
	hold_from_writers(span_ns);
	return 0;
}
