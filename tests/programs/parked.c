// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps threads in known states. Of COUNT threads a quarter each waits in park_in_futex(),
 * park_in_poll(), park_in_sleep() and park_in_read(). SPINNING threads use CPU time in
 * stay_busy(). COMING threads create and join other threads in keep_creating(). Their names
 * are futex, poll, sleep, read, busy and creating.
 *
 *	parked COUNT [SPINNING [COMING]]
 *
 * Prints "ready" when all are in their places, and ends at the end of its standard input.
 * With SPINNING it then prints longest_pause_ms: the longest time since "ready" for which a
 * spinning thread did not complete a slice of work.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define STACK_BYTES	(64 << 10)
#define A_DAY		86400

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int empty_pipe[2];
static atomic_uint nr_playing;	/* threads with NO_CALL that have begun */
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

	nr_playing++;
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

	nr_playing++;
	for (;;)
		if (!pthread_create(&thread, NULL, come_and_go, NULL))
			pthread_join(thread, NULL);
}

#define NO_CALL		-1

static const struct role {
	const char *name;
	void (*play)(void);
	int call;	/* the syscall in which it stays */
} roles[] = {
	{ "futex", park_in_futex, SYS_futex }, { "poll", park_in_poll, SYS_poll },
	{ "sleep", park_in_sleep, SYS_clock_nanosleep }, { "read", park_in_read, SYS_read },
	{ "busy", stay_busy, NO_CALL }, { "creating", keep_creating, NO_CALL },
};

static struct player {
	const struct role *role;
	_Atomic pid_t tid;	/* 0: it has not begun */
} *players;

#define BUSY		4
#define CREATING	5

static void *run(void *arg)
{
	struct player *player = arg;

	pthread_setname_np(pthread_self(), player->role->name);
	player->tid = gettid();
	player->role->play();
	return NULL;
}

static KEEP void start(struct player *player, int role)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	player->role = &roles[role];
	if (pthread_create(&thread, &attr, run, player)) {
		fprintf(stderr, "no more threads\n");
		exit(1);
	}
}

/* /proc/PID/task/TID/syscall shows the syscall in which a thread sleeps. */
static int is_in_place(const struct player *player)
{
	char path[64];
	int call = NO_CALL;
	FILE *file;

	if (player->role->call == NO_CALL || !player->tid)
		return player->tid;
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", player->tid);
	file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(1);
	}
	if (fscanf(file, "%d", &call) != 1)
		call = NO_CALL;	/* it runs */
	fclose(file);
	return call == player->role->call;
}

static void await_players(unsigned int nr, unsigned int nr_without_call)
{
	while (nr_playing < nr_without_call)
		usleep(1000);
	for (unsigned int i = 0; i < nr; i++)
		while (!is_in_place(&players[i]))
			usleep(1000);
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
	players = calloc(count + spinning + coming, sizeof(*players));
	if (!players)
		return 1;
	settle();
	for (; nr < count; nr++)
		start(&players[nr], nr % 4);
	for (; nr < count + spinning; nr++)
		start(&players[nr], BUSY);
	for (; nr < count + spinning + coming; nr++)
		start(&players[nr], CREATING);
	await_players(nr, spinning + coming);
	longest_ns = 0;
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	if (spinning)
		printf("longest_pause_ms=%.1f\n", (double)longest_ns / NSEC_PER_MSEC);
	return 0;
}
