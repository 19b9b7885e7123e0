// SPDX-License-Identifier: GPL-2.0
/*
 * Has sessions closed by a task that is not their owner. io_uring closes them in a worker of
 * the kernel; a child closes them as the last one that has them open. Such sessions must end.
 * The child, and other files of the same io_uring, must not wait for that; the owner must.
 *
 *	orphans ROUNDS
 *
 * Prints nr_before and nr_child_before: the rounds in which the other files were closed, or
 * the child had closed the sessions, before the sessions had ended. Exits with 1 if one is 0.
 */
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "device.h"

#define NR_THREADS	300	/* enough for a long cooldown after a snapshot */
#define NR_SESSIONS	4	/* the most that a user may have */

static int nr_before;	/* see above */
static int nr_child_before;	/* see above */

static void *wait_for_ever(void *arg)
{
	pause();
	return arg;
}

static pid_t start_target(void)
{
	pid_t pid = fork_child();
	pthread_t thread;

	if (pid)
		return pid;
	for (int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&thread, NULL, wait_for_ever, NULL))
			give_up("thread");
	wait_for_ever(NULL);
	return 0;
}

/* Waits while sessions of the last round are still ending: EMFILE. */
static int open_late(void)
{
	int fd;

	while ((fd = open("/dev/pprof", O_RDWR | O_CLOEXEC)) < 0 && errno == EMFILE)
		sleep_us(10000);
	check("open", fd, 0);
	return fd;
}

/* A session that must wait for its cooldown before it ends. */
static int new_session(pid_t pid)
{
	int fd = open_late();

	check("setup", setup(fd, 0, RING_BYTES), 0);
	check("attach", attach(fd, pid, NULL), 0);
	take_snapshot(fd);
	return fd;
}

/* Registers the files with io_uring, and closes them here. Closing the ring closes them. */
static void leave_to_io_uring(const int *fds, unsigned int nr)
{
	struct io_uring_params params = { 0 };
	int ring = syscall(SYS_io_uring_setup, 1, &params);

	if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, fds, nr))
		give_up("io_uring");
	for (unsigned int i = 0; i < nr; i++)
		close(fds[i]);
	close(ring);
}

static void await_end(int fd)
{
	struct pollfd pollfd = { .fd = fd };

	check_that("the other end is closed", poll(&pollfd, 1, 60000) == 1);
	close(fd);
}

static int is_room(void)
{
	int fd = open("/dev/pprof", O_RDWR);

	if (fd < 0)
		check("open", -1, EMFILE);
	else
		close(fd);
	return fd >= 0;
}

/* The order of closing is not defined: a pipe is registered before and after the sessions. */
static void leave_to_io_uring_with_others(pid_t target)
{
	int first[2], last[2], fds[NR_SESSIONS + 2];

	if (pipe(first) || pipe(last))
		give_up("pipe");
	fds[0] = first[1];
	for (int i = 1; i <= NR_SESSIONS; i++)
		fds[i] = new_session(target);
	fds[NR_SESSIONS + 1] = last[1];
	leave_to_io_uring(fds, NR_SESSIONS + 2);
	await_end(first[0]);
	await_end(last[0]);
	nr_before += !is_room();
}

/* The child is the last process that has the sessions open. */
static void leave_to_child(pid_t target)
{
	int fds[NR_SESSIONS], go[2], status = 1;
	pid_t pid;
	char end;

	for (int i = 0; i < NR_SESSIONS; i++)
		fds[i] = new_session(target);
	if (pipe(go))
		give_up("pipe");
	pid = fork_child();
	if (!pid) {
		close(go[1]);
		check("go", read(go[0], &end, 1), 0);
	}
	for (int i = 0; i < NR_SESSIONS; i++)
		close(fds[i]);
	if (!pid)
		_exit(is_room());
	close(go[1]);
	close(go[0]);
	check_that("the child ends", waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	nr_child_before += !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;
	pid_t target;

	if (rounds <= 0)
		return 2;
	target = start_target();
	for (int i = 0; i < rounds; i++) {
		leave_to_io_uring_with_others(target);
		leave_to_child(target);
	}
	printf("nr_before=%d\nnr_child_before=%d\n", nr_before, nr_child_before);
	check_that("others were closed while sessions were to end", nr_before > 0);
	check_that("a child closed sessions while they were to end", nr_child_before > 0);
	return conclude();
}
