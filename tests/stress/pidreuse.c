// SPDX-License-Identifier: GPL-2.0
/*
 * Starts a process with the pid of a target that has just ended, COUNT times. None of these
 * processes may be sampled, and none may be in a snapshot of a session without hooks.
 *
 *	pidreuse COUNT
 */
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../e2e/programs/rings.h"

static unsigned long long nr_of_others, nr_of_targets;

static void see(const struct pprof_record *record, void *exec_id)
{
	const struct pprof_event *ev = (const struct pprof_event *)record;

	if (ev->exec_id == *(__u64 *)exec_id)
		nr_of_targets++;
	else
		nr_of_others++;
}

/* Starts a child with this pid, or with any if it is 0. It uses CPU time until it is killed. */
static pid_t spawn(pid_t pid)
{
	struct clone_args args = { .exit_signal = SIGCHLD, .set_tid = pid ? (uintptr_t)&pid : 0,
				   .set_tid_size = pid > 0 };
	pid_t child = syscall(SYS_clone3, &args, sizeof(args));

	if (child < 0)
		give_up("clone3");
	while (!child)
		;
	return child;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void reuse(void)
{
	struct ring_sums *sums = sums_new();
	pid_t pid = spawn(0);
	int fd = open_device();
	struct pollfd poll_fd = { .fd = fd };
	__u64 exec_id;
	struct rings rings = { .see = see, .context = &exec_id };

	check("setup", setup(fd, 0, RING_BYTES), 0);
	check("attach", attach(fd, pid, &exec_id), 0);
	rings_map(&rings, fd, RING_BYTES, sums);
	check("start", start(fd, PPROF_SOURCE_CPU, PPROF_MIN_PERIOD_NS), 0);
	sleep_us(rand() % 5000);
	end(pid);
	check_that("the same pid", spawn(pid) == pid);
	check_that("no target is left", poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLHUP));
	sleep_us(rand() % 5000);
	check("stop", stop(fd, PPROF_SOURCE_CPU), 0);
	end(pid);
	rings_check(&rings, PPROF_SOURCE_CPU);
	rings_check(&rings, PPROF_CLASS_EVENT);
	rings_unmap(&rings, RING_BYTES);
	sums_free(sums);
	close(fd);
}

/* The session has no hooks, so it does not learn of the end. */
static void reuse_unhooked(void)
{
	struct ring_sums *sums = sums_new();
	unsigned long long before = nr_of_targets;
	pid_t pid = spawn(0);
	int fd = open_device();
	__u64 exec_id;
	struct rings rings = { .see = see, .context = &exec_id };

	check("setup", setup(fd, PPROF_SETUP_SNAPSHOT, RING_BYTES), 0);
	check("attach", attach(fd, pid, &exec_id), 0);
	rings_map(&rings, fd, RING_BYTES, sums);
	take_snapshot(fd);
	end(pid);
	check_that("the same pid", spawn(pid) == pid);
	take_snapshot(fd);
	end(pid);
	rings_check(&rings, PPROF_SOURCE_THREAD);
	check_that("one thread", nr_of_targets == before + 1);
	rings_unmap(&rings, RING_BYTES);
	sums_free(sums);
	close(fd);
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;

	if (count <= 0)
		return 2;
	for (int i = 0; i < count; i++) {
		reuse();
		reuse_unhooked();
	}
	check_that("no record of others", !nr_of_others);
	check_that("records of the targets", nr_of_targets >= (unsigned int)count);
	printf("%d pids reused, %llu records of the targets, %llu of others, %d problems\n", count,
	       nr_of_targets, nr_of_others, nr_problems);
	return nr_problems > 0;
}
