// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks for MS of the wall clock in each of five places, and prints how long
 * each took in ns.
 *
 *	blocker MS
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"

static uint64_t span_ns;

/* Another process, which has not the names below. */
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

static KEEP void block_in_read(void)
{
	int fds[2];
	char c;

	if (pipe(fds) || fork_sleeper(fds[1]) < 0 || read(fds[0], &c, 1) != 1)
		exit(1);
	wait(NULL);
	close(fds[0]);
	close(fds[1]);
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

static KEEP void block_in_wait(void)
{
	if (waitpid(fork_sleeper(-1), NULL, 0) < 0)
		exit(1);
}

static const struct {
	const char *name;
	void (*block)(void);
} places[] = {
	{ "futex", block_in_futex }, { "read", block_in_read }, { "poll", block_in_poll },
	{ "sleep", block_in_sleep }, { "wait", block_in_wait },
};

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("blocker MS");
	span_ns = arg_msec(argv[1]);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

		places[i].block();
		printf("%s_ns=%" PRIu64 "\n", places[i].name,
		       clock_ns(CLOCK_MONOTONIC) - begin_ns);
	}
	return 0;
}
