// SPDX-License-Identifier: GPL-2.0
/*
 * A thread holds a lock for MS of the wall clock, while five others wait for it,
 * and a sixth gives up halfway, and unlocks it in unlock_long(). Prints what the five
 * had waited until then, in all.
 *
 *	waiters MS normal|inherit|robust|hidden|dies
 *
 * hidden: the program has made itself undumpable before. dies: the lock is robust, and
 * its holder does not unlock it, but ends in die_holding().
 *
 * Besides, threads are joined, also as old libraries do, wait for a condition, for an
 * event, at a barrier and in vain for a lock, which is no contention of anybody who
 * unlocks something.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "load.h"

#define NR_WAITERS	5

static pthread_mutex_t lock;
static uint64_t began_ns[NR_WAITERS];
static pthread_t waiters[NR_WAITERS];

static void make_lock(const char *kind)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	if (!strcmp(kind, "inherit"))
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	else if (!strcmp(kind, "robust") || !strcmp(kind, "dies"))
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	else if (!strcmp(kind, "hidden"))
		prctl(PR_SET_DUMPABLE, 0UL);
	else if (strcmp(kind, "normal"))
		usage("waiters MS normal|inherit|robust|hidden|dies");
	pthread_mutex_init(&lock, &attr);
}

static KEEP void unlock_long(void)
{
	pthread_mutex_unlock(&lock);
}

static KEEP void unlock_short(void)
{
	pthread_mutex_unlock(&lock);
}

static void *wait_for_lock(void *arg)
{
	*(uint64_t *)arg = clock_ns(CLOCK_MONOTONIC);
	if (pthread_mutex_lock(&lock) == EOWNERDEAD)
		pthread_mutex_consistent(&lock);
	unlock_short();
	return NULL;
}

/* It is held for longer. */
static void give_up_after(uint64_t span_ns)
{
	uint64_t end_ns = clock_ns(CLOCK_REALTIME) + span_ns;
	struct timespec until = { end_ns / NSEC_PER_SEC, end_ns % NSEC_PER_SEC };

	if (pthread_mutex_timedlock(&lock, &until) != ETIMEDOUT)
		exit(1);
}

static void *give_up_halfway(void *span_ns)
{
	give_up_after(*(uint64_t *)span_ns / 2);
	return NULL;
}

/* With the lock held. When it is to be released is told in the end. */
static uint64_t hold(uint64_t span_ns)
{
	pthread_t quitter;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < NR_WAITERS; i++)
		pthread_create(&waiters[i], NULL, wait_for_lock, &began_ns[i]);
	pthread_create(&quitter, NULL, give_up_halfway, &span_ns);
	usleep(span_ns / NSEC_PER_USEC);
	pthread_join(quitter, NULL);
	return clock_ns(CLOCK_MONOTONIC);
}

static void tell_waits(uint64_t until_ns)
{
	uint64_t sum_ns = 0;

	for (int i = 0; i < NR_WAITERS; i++) {
		pthread_join(waiters[i], NULL);
		sum_ns += until_ns - began_ns[i];
	}
	printf("waited_ns=%" PRIu64 "\n", sum_ns);
}

static KEEP void hold_long(uint64_t span_ns)
{
	uint64_t until_ns = hold(span_ns);

	unlock_long();
	tell_waits(until_ns);
}

/* The kernel finds the lock in this thread's list, and wakes a waiter. */
static KEEP void *die_holding(void *span_ns)
{
	*(uint64_t *)span_ns = hold(*(uint64_t *)span_ns);
	syscall(SYS_exit, 0);
	return NULL;
}

static void hold_until_death(uint64_t span_ns)
{
	pthread_t holder;

	pthread_create(&holder, NULL, die_holding, &span_ns);
	pthread_join(holder, NULL);
	tell_waits(span_ns);
}

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int is_changed;

static KEEP void no_contention_of_condition(void)
{
	pthread_cond_signal(&changed);
}

static void *wait_in_vain(void *span_ns)
{
	give_up_after(*(uint64_t *)span_ns);
	pthread_barrier_wait(&barrier);
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	pthread_mutex_lock(&other);
	is_changed = 1;
	no_contention_of_condition();
	pthread_mutex_unlock(&other);
	return NULL;
}

/* The other waits for the lock, we at the barrier; then we for the condition, as long. */
static KEEP void no_contention(uint64_t span_ns)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, wait_in_vain, &span_ns);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&other);
	while (!is_changed)
		pthread_cond_wait(&changed, &other);
	pthread_mutex_unlock(&other);
	unlock_short();
	pthread_join(thread, NULL);
}

static uint32_t event;	/* 0: it has not come */
static uint32_t alive;	/* its tid, as long as the thread is there */

static void await_change(uint32_t *word, uint32_t from)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == from)
		syscall(SYS_futex, word, FUTEX_WAIT, from, NULL, NULL, 0);
}

/* The kernel tells the thread's end at the address that it gives. */
static KEEP void *no_contention_of_events(void *span_ns)
{
	syscall(SYS_set_tid_address, &alive);
	__atomic_store_n(&alive, (uint32_t)gettid(), __ATOMIC_RELEASE);
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	__atomic_store_n(&event, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &event, FUTEX_WAKE, 1, NULL, NULL, 0);
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	syscall(SYS_exit, 0);
	return NULL;
}

/* First as Go's idle threads, then as pthread_join() of glibc before 2.34. */
static void await_events(uint64_t span_ns)
{
	pthread_t thread;

	pthread_create(&thread, NULL, no_contention_of_events, &span_ns);
	await_change(&event, 0);
	await_change(&alive, __atomic_load_n(&alive, __ATOMIC_ACQUIRE));
}

int main(int argc, char **argv)
{
	uint64_t span_ns;

	if (argc != 3)
		usage("waiters MS normal|inherit|robust|hidden|dies");
	span_ns = arg_msec(argv[1]);
	make_lock(argv[2]);
	if (!strcmp(argv[2], "dies"))
		hold_until_death(span_ns);
	else
		hold_long(span_ns);
	no_contention(span_ns);
	await_events(span_ns);
	return 0;
}
