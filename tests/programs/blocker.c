// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks for MS of the wall clock in each of five functions: block_in_futex(), _read(),
 * _poll(), _sleep() and _wait(). For each it prints two times in ns:
 *
 *	NAME_ns			off the CPU: wall clock less CPU time
 *	NAME_preempted_ns	an upper bound for the part of it in which the thread
 *				waited for a CPU, but had not blocked
 *
 * In block_in_read() and block_in_wait() it waits for a child that sleeps for MS. The
 * child may begin to sleep a little earlier.
 *
 *	blocker MS
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static uint64_t span_ns;

/* The child sleeps outside of the functions below: its own waits are not in them. */
static pid_t fork_sleeper(int fd)
{
	struct timespec span = { span_ns / NSEC_PER_SEC, span_ns % NSEC_PER_SEC };
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid)
		return pid;
	nanosleep(&span, NULL);
	if (fd >= 0 && write(fd, "x", 1) != 1)
		_exit(1);
	_exit(0);
}

static KEEP void block_in_futex(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	uint64_t end_ns = clock_ns(CLOCK_REALTIME) + span_ns;

	until = (struct timespec){ end_ns / NSEC_PER_SEC, end_ns % NSEC_PER_SEC };
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&never, &mutex, &until) != ETIMEDOUT)
		continue;
	pthread_mutex_unlock(&mutex);
}

static int fds[2];
static pid_t sleeper;

static void make_writer(void)
{
	if (pipe(fds))
		exit(1);
	fork_sleeper(fds[1]);
}

static KEEP void block_in_read(void)
{
	char c;

	if (read(fds[0], &c, 1) != 1)
		exit(1);
}

static KEEP void block_in_poll(void)
{
	poll(NULL, 0, span_ns / NSEC_PER_MSEC);
}

static KEEP void block_in_sleep(void)
{
	struct timespec span = { span_ns / NSEC_PER_SEC, span_ns % NSEC_PER_SEC };

	while (nanosleep(&span, &span) && errno == EINTR)
		continue;
}

static void make_sleeper(void)
{
	sleeper = fork_sleeper(-1);
}

static KEEP void block_in_wait(void)
{
	if (waitpid(sleeper, NULL, 0) < 0)
		exit(1);
}

static const struct {
	const char *name;
	void (*prepare)(void);
	void (*block)(void);
} places[] = {
	{ "futex", NULL, block_in_futex }, { "read", make_writer, block_in_read },
	{ "poll", NULL, block_in_poll }, { "sleep", NULL, block_in_sleep },
	{ "wait", make_sleeper, block_in_wait },
};

/*
 * CPU time is subtracted: the thread may be preempted before it blocks, and a fork takes
 * time. The two clocks are read again if the thread was stopped between them.
 */
static uint64_t off_cpu_ns(void)
{
	uint64_t ran_ns, now_ns;

	do {
		ran_ns = thread_ns();
		now_ns = clock_ns(CLOCK_MONOTONIC);
	} while (thread_ns() - ran_ns > NSEC_PER_MSEC);
	return now_ns - ran_ns;
}

/*
 * The time that the thread waited for a CPU, after a wake-up or a preemption: the second
 * number of /proc/PID/schedstat.
 */
static uint64_t delay_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	uint64_t delay;

	if (!file || fscanf(file, "%*u %" SCNu64, &delay) != 1) {
		perror("schedstat");
		exit(1);
	}
	fclose(file);
	return delay;
}

static long preemptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void measure(const char *name, void (*block)(void))
{
	long preempted = preemptions();
	uint64_t delay = delay_ns(), begin_ns = off_cpu_ns(), ns;

	block();
	ns = off_cpu_ns() - begin_ns;
	delay = delay_ns() - delay;
	preempted = preemptions() - preempted;
	printf("%s_ns=%" PRIu64 "\n%s_preempted_ns=%" PRIu64 "\n", name, ns, name,
	       preempted ? delay : 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("blocker MS");
	span_ns = arg_msec(argv[1]);
	settle();
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (places[i].prepare)
			places[i].prepare();
		measure(places[i].name, places[i].block);
	}
	return 0;
}
