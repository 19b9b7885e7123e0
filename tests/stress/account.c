// SPDX-License-Identifier: GPL-2.0
/*
 * Takes samples of all sources but heap, those of cpu at 1 kHz, and snapshots of the
 * threads now and then, reads them, and reckons at the end that what was produced was
 * taken or is counted as lost.
 *
 *	account [OPTION]... SECONDS PID|all
 *	  --hz N	another rate
 *	  --slow MS	sleeps that long between two looks at the rings
 *	  --kill	the reader is a child, which is killed over and over
 *	  --least N	cpu's samples are so many, or more: it goes on for a while
 *			until they are
 *	  --tables	stacks are walked by tables, of which there are none
 *
 * SIGTERM or the last target's end ends it early. Prints its sums; the last line
 * says "exact" if they are right.
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

/* True when the last target has ended. */
static int await(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (slow_us)
		sleep_us(slow_us);
	return poll(&poll_fd, 1, slow_us ? 0 : 20) > 0 && (poll_fd.revents & POLLHUP);
}

/* Where the rings were full it goes on the next time. */
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

/* A slow machine may have let nobody run who is to be sampled. */
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

/* A reader ends by itself only if it found something wrong, which it has printed. */
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
	{ "snapshots", PPROF_SOURCE_THREAD }, { "lives", PPROF_CLASS_EVENT },
};

#define NR_COUNTED	(sizeof(counted) / sizeof(*counted))
#define NR_SOURCES	(NR_COUNTED - 2)	/* the first are started, and stopped */

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

/* For pid; 0: everybody. It may execute something at any moment. */
static int open_session(int pid)
{
	int fd = open_device(), ret = 0;

	flags |= pid ? PPROF_SETUP_CHILDREN : PPROF_SETUP_ALL;
	check("setup", setup(fd, flags, RING_BYTES), 0);
	/* It may execute something meanwhile. */
	if (pid)
		for (int i = 0; i < 1000; i++) {
			ret = attach(fd, pid, NULL);
			if (!ret || errno != EAGAIN)
				break;
			sleep_us(1000);
		}
	check("attach", ret, 0);
	if (ret)
		exit(1);	/* without a target nothing would ever end us */
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
