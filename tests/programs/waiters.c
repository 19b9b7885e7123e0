// SPDX-License-Identifier: GPL-2.0
/*
 * A thread holds a mutex for MS of the wall clock while five others wait for it, and a sixth
 * gives up halfway. Then it unlocks the mutex in unlock_long(). Prints waited_ns, the time
 * that the five had waited before that, in all.
 *
 *	waiters MS normal|inherit|robust|timed|hidden|dies
 *
 *	normal, inherit, robust	the kind of mutex: plain, PTHREAD_PRIO_INHERIT, robust
 *	timed			robust, and the five wait with a time limit
 *	hidden			plain, and the program is undumpable
 *	dies			robust, and the holder does not unlock the mutex: it ends
 *				in die_holding()
 *
 * After this come waits that are no contention of a thread that unlocks: pthread_join(), also
 * as glibc did it before 2.34; conditions; events; a barrier; and a lock that is not obtained.
 * The functions that end most of them have no_contention in their names: a mutex profile must
 * not show these.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define NR_WAITERS	5

static pthread_mutex_t lock;
static uint64_t began_ns[NR_WAITERS];
static pthread_t waiters[NR_WAITERS];

static int lock_in_time(pthread_mutex_t *mutex)
{
	struct timespec until = { clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC + 600, 0 };

	return pthread_mutex_timedlock(mutex, &until);
}

static int (*take)(pthread_mutex_t *mutex) = pthread_mutex_lock;

static void make_lock(const char *kind)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	if (!strcmp(kind, "inherit"))
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	else if (!strcmp(kind, "robust") || !strcmp(kind, "timed") || !strcmp(kind, "dies"))
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	else if (!strcmp(kind, "hidden"))
		prctl(PR_SET_DUMPABLE, 0UL);
	else if (strcmp(kind, "normal"))
		usage("waiters MS normal|inherit|robust|timed|hidden|dies");
	if (!strcmp(kind, "timed"))
		take = lock_in_time;
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
	if (take(&lock) == EOWNERDEAD)
		pthread_mutex_consistent(&lock);
	unlock_short();
	return NULL;
}

/* The mutex is held for longer than span_ns. */
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

/* Returns: with the mutex held, the time at which it is to be unlocked. */
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

/* The kernel finds the mutex in the robust list of this thread, and wakes a waiter. */
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
static int nr_changes;

static KEEP void no_contention_of_condition(int (*wake)(pthread_cond_t *cond))
{
	wake(&changed);
}

/* A thread that is woken takes the mutex, and may have to wait for it. */
static void change(int (*wake)(pthread_cond_t *cond))
{
	pthread_mutex_lock(&other);
	nr_changes++;
	no_contention_of_condition(wake);
	pthread_mutex_unlock(&other);
}

/* The futex of glibc's barrier is 0 when it is new, and 2 after two threads have passed it. */
static void *wait_in_vain(void *span_ns)
{
	give_up_after(*(uint64_t *)span_ns);
	pthread_barrier_wait(&barrier);
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	pthread_barrier_wait(&barrier);
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	change(pthread_cond_signal);
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	change(pthread_cond_broadcast);
	return NULL;
}

static void await_changes(int nr)
{
	pthread_mutex_lock(&other);
	while (nr_changes < nr)
		pthread_cond_wait(&changed, &other);
	pthread_mutex_unlock(&other);
}

/*
 * For span_ns the other thread waits in vain for the mutex, and this one at the barrier.
 * Then this thread waits at the barrier and for the condition, for as long each.
 */
static KEEP void no_contention(uint64_t span_ns)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, wait_in_vain, &span_ns);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	await_changes(1);
	await_changes(2);
	unlock_short();
	pthread_join(thread, NULL);
}

/* Events: a thread waits until word changes. Another one sets it to @to, and wakes @nr threads. */
static struct event {
	uint32_t word, to;
	int op, nr;
} events[] = {
	{ 0, 1, FUTEX_WAIT, 1 },	/* idle threads of Go */
	{ 2, 3, FUTEX_WAIT_BITSET, 1 },	/* conditions of Rust, and of glibc since 2.41 */
	{ 3, 4, FUTEX_WAIT_BITSET, 1 },
	{ 2, 4, FUTEX_WAIT_BITSET, INT_MAX },
	{ 3, 5, FUTEX_WAIT_BITSET, INT_MAX },
	{ UINT32_MAX, 1, FUTEX_WAIT_BITSET, 1 },	/* parked threads of Rust */
	{ FUTEX_WAITERS, 1, FUTEX_WAIT_BITSET, INT_MAX },	/* std::future, with a timeout */
};

#define NR_EVENTS	(sizeof(events) / sizeof(*events))

static uint32_t alive;	/* the tid of the thread, and 0 when it has ended */

static void await_change(uint32_t *word, uint32_t from, int op)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == from)
		syscall(SYS_futex, word, op, from, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

/* At the end of the thread the kernel clears the word at this address, and wakes a waiter. */
static KEEP void *no_contention_of_events(void *span_ns)
{
	syscall(SYS_set_tid_address, &alive);
	__atomic_store_n(&alive, (uint32_t)gettid(), __ATOMIC_RELEASE);
	for (size_t i = 0; i < NR_EVENTS; i++) {
		usleep(*(uint64_t *)span_ns / NR_EVENTS / NSEC_PER_USEC);
		__atomic_store_n(&events[i].word, events[i].to, __ATOMIC_RELEASE);
		syscall(SYS_futex, &events[i].word, FUTEX_WAKE, events[i].nr, NULL, NULL, 0);
	}
	usleep(*(uint64_t *)span_ns / NSEC_PER_USEC);
	syscall(SYS_exit, 0);
	return NULL;
}

/* The last wait is that of pthread_join() in glibc before 2.34. */
static void await_events(uint64_t span_ns)
{
	uint32_t from[NR_EVENTS];
	pthread_t thread;

	for (size_t i = 0; i < NR_EVENTS; i++)
		from[i] = events[i].word;
	pthread_create(&thread, NULL, no_contention_of_events, &span_ns);
	for (size_t i = 0; i < NR_EVENTS; i++)
		await_change(&events[i].word, from[i], events[i].op);
	await_change(&alive, __atomic_load_n(&alive, __ATOMIC_ACQUIRE), FUTEX_WAIT);
}

int main(int argc, char **argv)
{
	uint64_t span_ns;

	if (argc != 3)
		usage("waiters MS normal|inherit|robust|timed|hidden|dies");
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
