// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a session with all sources except heap, and reads its rings. At the end it checks that
 * each record that was produced was read, or is counted as lost. The source cpu runs at
 * 1 kHz; now and then a snapshot of the threads is taken.
 *
 *	account [OPTION]... SECONDS PID|all
 *	  --hz N	the rate of cpu
 *	  --slow MS	sleeps between two reads of the rings
 *	  --kill	the reader is a child, which is killed over and over
 *	  --least N	fails with fewer than N samples of cpu; it waits up to PATIENCE_S longer
 *			for them
 *	  --tables	sets up unwinding by tables, but adds no table
 *
 * It ends early at SIGTERM, or when the last target has ended. It prints its sums. The last
 * line is "exact" if they are right.
 */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "../e2e/programs/rings.h"

#define LOOKS_PER_SNAPSHOT	8
#define PATIENCE_S		60

static volatile sig_atomic_t is_over;
static long slow_us, hz = 1000;
static int kills;
static unsigned long long least;
static unsigned int flags;

static void end(int signal)
{
	is_over = signal;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Waits for records. Returns true when the last target has ended. */
static int await(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (slow_us)
		sleep_us(slow_us);
	return poll(&poll_fd, 1, slow_us ? 0 : 20) > 0 && (poll_fd.revents & POLLHUP);
}

/* Takes a part of a snapshot. If the rings are full, the next call continues it. */
static void look_at_threads(int fd)
{
	static struct pprof_threads threads = { .size = sizeof(threads) };

	if (ioctl(fd, PPROF_IOC_THREADS, &threads) && errno != EAGAIN)
		check("threads", -1, is_over ? EINTR : 0);
}

static int has_least(const struct rings *rings)
{
	uint64_t sum = 0;

	for (const struct ring *ring = rings->rings; ring->tail; ring++)
		sum += ring_reckoning(ring, PPROF_SOURCE_CPU).produced;
	return sum >= least;
}

/* Returns false at the end. On a slow machine the targets may run late: then it waits longer. */
static int goes_on(const struct rings *rings, double *end_s)
{
	if (is_over && *end_s > now())
		*end_s = now();
	return !nr_problems && now() < *end_s + (has_least(rings) ? 0 : PATIENCE_S);
}

static void read_until(int fd, struct ring_sums *sums, double end_s)
{
	struct rings rings = { 0 };

	rings_map(&rings, fd, RING_BYTES, sums);
	for (int i = 0; goes_on(&rings, &end_s); i++) {
		if (await(fd))
			break;
		if (i % LOOKS_PER_SNAPSHOT == 0)
			look_at_threads(fd);
		rings_drain(&rings);
	}
	rings_unmap(&rings, RING_BYTES);
}

static pid_t start_reader(int fd, struct ring_sums *sums)
{
	pid_t pid = fork_child();

	if (pid)
		return pid;
	read_until(fd, sums, 1e12);
	exit(1);
}

/* Returns how many readers were killed. A reader ends by itself only after a printed error. */
static int kill_readers_until(int fd, struct ring_sums *sums, double end_s)
{
	int killed = 0, status;
	pid_t pid;

	while (!is_over && !nr_problems && now() < end_s) {
		pid = start_reader(fd, sums);
		sleep_us(1000 + rand() % 60000);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		check_that("a reader's end", WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		killed++;
	}
	return killed;
}

struct counted {
	const char *name;
	unsigned int class;
};

static const struct counted counted[] = {
	{ "cpu", PPROF_SOURCE_CPU }, { "threads", PPROF_SOURCE_THREADCREATE },
	{ "wall", PPROF_SOURCE_WALL }, { "block", PPROF_SOURCE_BLOCK },
	{ "mutex", PPROF_SOURCE_MUTEX }, { "growth", PPROF_SOURCE_GROWTH },
	{ "snapshots", PPROF_SOURCE_THREAD }, { "events", PPROF_CLASS_EVENT },
};

#define NR_COUNTED	(sizeof(counted) / sizeof(*counted))
#define NR_SOURCES	(NR_COUNTED - 2)	/* only the first ones are started and stopped */

static uint64_t period_of(unsigned int source)
{
	switch (source) {
	case PPROF_SOURCE_CPU:
		return 1000000000 / hz;
	case PPROF_SOURCE_WALL:
		return 10000000;
	case PPROF_SOURCE_BLOCK:
		return 100000;
	case PPROF_SOURCE_MUTEX:
		return 1;
	case PPROF_SOURCE_GROWTH:
		return 65536;
	}
	return 0;
}

static void print_sums(struct rings *rings)
{
	struct reckoning sum;

	for (size_t i = 0; i < NR_COUNTED; i++) {
		sum = rings_check(rings, counted[i].class);
		printf("%s: %llu produced, %llu taken, %llu lost\n", counted[i].name,
		       (unsigned long long)sum.produced, (unsigned long long)sum.taken,
		       (unsigned long long)sum.lost);
		if (counted[i].class == PPROF_SOURCE_CPU)
			check_that("cpu's samples", sum.produced >= least);
	}
}

/* Opens a session for pid, or for all processes if it is 0. */
static int open_session(int pid)
{
	int fd = open_device(), ret = 0;

	flags |= pid ? PPROF_SETUP_CHILDREN : PPROF_SETUP_ALL;
	check("setup", setup(fd, flags, RING_BYTES), 0);
	/* EAGAIN: the target executes a program just now. */
	if (pid)
		for (int i = 0; i < 1000; i++) {
			ret = attach(fd, pid, NULL);
			if (!ret || errno != EAGAIN)
				break;
			sleep_us(1000);
		}
	check("attach", ret, 0);
	if (ret)
		exit(1);	/* without a target, no POLLHUP would end this program */
	return fd;
}

static void account(int pid, double seconds)
{
	struct ring_sums *sums = sums_new();
	struct rings rings = { 0 };
	int fd = open_session(pid);
	double end_s = now() + seconds;

	for (size_t i = 0; i < NR_SOURCES; i++)
		check(counted[i].name, start(fd, counted[i].class, period_of(counted[i].class)), 0);
	if (kills)
		printf("readers killed: %d\n", kill_readers_until(fd, sums, end_s));
	else
		read_until(fd, sums, end_s);
	rings_map(&rings, fd, RING_BYTES, sums);
	for (size_t i = 0; i < NR_SOURCES; i++)
		check(counted[i].name, rings_stop(&rings, fd, counted[i].class), 0);
	print_sums(&rings);
}

static char **parse(char **argv)
{
	for (argv++; *argv && !strncmp(*argv, "--", 2); argv++) {
		if (!strcmp(*argv, "--kill"))
			kills = 1;
		else if (!strcmp(*argv, "--tables"))
			flags = PPROF_SETUP_TABLES;
		else if (!strcmp(*argv, "--slow") && argv[1])
			slow_us = atol(*++argv) * 1000;
		else if (!strcmp(*argv, "--hz") && argv[1])
			hz = atol(*++argv);
		else if (!strcmp(*argv, "--least") && argv[1])
			least = atoll(*++argv);
		else
			exit(2);
	}
	return argv;
}

int main(int argc, char **argv)
{
	char **args = parse(argv);

	if (argv + argc - args != 2 || hz <= 0)
		return 2;
	signal(SIGTERM, end);
	srand(getpid());
	account(atoi(args[1]), atof(args[0]));
	printf("%s\n", nr_problems ? "wrong" : "exact");
	return nr_problems > 0;
}
