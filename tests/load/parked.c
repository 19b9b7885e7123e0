// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that stay where they are, in states that are known: a quarter of COUNT
 * waits for a condition in park_in_futex(), and so on for poll, sleep and read;
 * besides, SPINNING threads use CPU time in stay_busy(), and COMING ones do nothing
 * but create threads and join them. They are called after what they do. Prints
 * "ready" when all are there, and ends when its standard input does; tells then for how
 * long a spinning one was kept from that at most, since all were ready.
 *
 *	parked COUNT [SPINNING [COMING]]
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "load.h"

#define STACK_BYTES	(64 << 10)
#define A_DAY		86400

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int empty_pipe[2];
static atomic_uint nr_there;
static _Atomic uint64_t longest_ns;

static KEEP void park_in_futex(void)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
}

static KEEP void park_in_poll(void)
{
	struct pollfd pipe_end = { .fd = empty_pipe[0], .events = POLLIN };

	for (;;)
		poll(&pipe_end, 1, -1);
}

static KEEP void park_in_sleep(void)
{
	struct timespec day = { .tv_sec = A_DAY };

	for (;;)
		nanosleep(&day, NULL);
}

static KEEP void park_in_read(void)
{
	char byte;

	while (read(empty_pipe[0], &byte, 1))
		;
}

static void note_pause(uint64_t ns)
{
	uint64_t longest = longest_ns;

	while (ns > longest && !atomic_compare_exchange_weak(&longest_ns, &longest, ns))
		;
}

static KEEP void stay_busy(void)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), last;

	for (;;) {
		spin(SLICE);
		last = now;
		now = clock_ns(CLOCK_MONOTONIC);
		note_pause(now - last);
	}
}

static void *come_and_go(void *arg)
{
	return arg;
}

static KEEP void keep_creating(void)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, come_and_go, NULL))
			pthread_join(thread, NULL);
}

static const struct role {
	const char *name;
	void (*play)(void);
} roles[] = {
	{ "futex", park_in_futex }, { "poll", park_in_poll }, { "sleep", park_in_sleep },
	{ "read", park_in_read }, { "busy", stay_busy }, { "creating", keep_creating },
};

#define BUSY		4
#define CREATING	5

static void *run(void *arg)
{
	const struct role *role = arg;

	pthread_setname_np(pthread_self(), role->name);
	nr_there++;
	role->play();
	return NULL;
}

static KEEP void start(int role)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (pthread_create(&thread, &attr, run, (void *)&roles[role])) {
		fprintf(stderr, "no more threads\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	unsigned int count, spinning, coming, nr = 0;
	char byte;

	if (argc < 2 || argc > 4 || pipe(empty_pipe))
		usage("parked COUNT [SPINNING [COMING]]");
	count = arg_count(argv[1]);
	spinning = argc > 2 ? atoi(argv[2]) : 0;
	coming = argc > 3 ? atoi(argv[3]) : 0;
	settle();
	for (; nr < count; nr++)
		start(nr % 4);
	for (; nr < count + spinning; nr++)
		start(BUSY);
	for (; nr < count + spinning + coming; nr++)
		start(CREATING);
	while (nr_there < nr)
		usleep(1000);
	usleep(100000);	/* the last one is still on its way to its place */
	longest_ns = 0;
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	if (spinning)
		printf("longest_pause_ms=%.1f\n", (double)longest_ns / NSEC_PER_MSEC);
	return 0;
}
