// SPDX-License-Identifier: GPL-2.0
/*
 * Polls a session whose last target has ended. Meanwhile it attaches processes that execute a
 * program at that moment, so that the attach is refused with EAGAIN. The poller must see the
 * end of the session all the same. Goes on until COUNT attaches were refused.
 *
 *	trials COUNT
 *
 * Prints nr_refused and a line for each problem, and exits with 1 if there is one.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

#include "device.h"

#define PATIENCE_MS	20000	/* a busy host may stop a VM for seconds */

static int fd, is_over, nr_told;

static int goes_on(void)
{
	return !__atomic_load_n(&is_over, __ATOMIC_RELAXED);
}

/*
 * The result of poll() proves nothing: at its timeout it looks at the session once more. So the
 * time is measured.
 */
static void *poll_for_end(void *arg)
{
	struct pollfd pollfd = { .fd = fd };
	uint64_t from;

	while (goes_on()) {
		from = now_ms();
		poll(&pollfd, 1, PATIENCE_MS);
		check_that("the poller is woken", now_ms() - from < PATIENCE_MS);
		__atomic_fetch_add(&nr_told, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

/*
 * Holds the session's lock for some ms at a time. An attach waits for the lock after it has
 * looked at the process, which may have executed another program by then.
 */
static void *hold_up(void *arg)
{
	while (goes_on()) {
		if (start(fd, PPROF_SOURCE_GROWTH, 1) || stop(fd, PPROF_SOURCE_GROWTH))
			give_up("growth");
		sleep_us(1000);	/* no attach succeeds while the source runs */
	}
	return arg;
}

static pid_t start_child(const char *what)
{
	pid_t pid = fork_child();

	if (!pid) {
		execl("/proc/self/exe", "trials", what, NULL);
		_exit(1);
	}
	return pid;
}

/* The child may be executing the program at this moment. */
static void attach_paused(pid_t pid)
{
	int result;

	do
		result = attach(fd, pid, NULL);
	while (result && errno == EAGAIN);
	check("attach", result, 0);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Waits until the poller is woken once more. */
static void await_told(void)
{
	int before = __atomic_load_n(&nr_told, __ATOMIC_RELAXED);

	while (__atomic_load_n(&nr_told, __ATOMIC_RELAXED) == before)
		sleep_us(1000);
}

/* Returns: how often the attach was refused until it succeeded. Kills the child then. */
static int attach_executing(void)
{
	pid_t pid = start_child("exec");
	int nr_refused = 0;

	while (attach(fd, pid, NULL)) {
		if (errno != EAGAIN && errno != EBUSY)
			give_up("attach");
		if (errno == EBUSY)
			continue;
		nr_refused++;
		await_told();
	}
	end_child(pid);
	return nr_refused;
}

static void act_as_child(const char *what)
{
	if (!strcmp(what, "exec"))
		execl("/proc/self/exe", "trials", what, NULL);
	pause();
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0, nr_refused = 0;
	pthread_t threads[2];
	pid_t pid;

	if (argc == 2 && !count)
		act_as_child(argv[1]);
	if (count <= 0)
		return 2;
	fd = open_device();
	check("setup", setup(fd, 0, RING_BYTES), 0);
	pid = start_child("pause");
	attach_paused(pid);
	end_child(pid);
	pthread_create(&threads[0], NULL, poll_for_end, NULL);
	pthread_create(&threads[1], NULL, hold_up, NULL);
	while (nr_refused < count)
		nr_refused += attach_executing();
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("nr_refused=%d\n", nr_refused);
	return conclude();
}
