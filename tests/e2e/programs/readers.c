// SPDX-License-Identifier: GPL-2.0
/*
 * Reads its own custom values into memory that never comes. Another reader of the same
 * session must wait, so that both hold one buffer of the kernel at most. A reader of another
 * session must not wait. All of them can be killed. A reader that waited, and may not read
 * the process any more when its turn comes, gets EACCES.
 *
 *	readers			(not as root, which may read everything)
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "absent.h"
#include "device.h"
#include "pprof_client.h"

#define MOST_BYTES	(256U << 10)	/* of one read */

static int holder;
static int nr_came;

static int read_values(int fd, void *to)
{
	struct pprof_custom_read arg = {
		.size = sizeof(arg), .pid = holder, .bytes = MOST_BYTES,
		.data = (unsigned long)to, .name = "values",
	};

	return ioctl(fd, PPROF_IOC_CUSTOM_READ, &arg);
}

struct reader {
	int fd;
	void *to;
	int want;	/* the errno of the read, or 0 */
};

static void *read_one(void *arg)
{
	const struct reader *reader = arg;

	check("read", read_values(reader->fd, reader->to), reader->want);
	__atomic_fetch_add(&nr_came, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The second reader starts when the first one waits for its memory, which is absent_fd's. */
static void start_both(struct reader readers[2], pthread_t threads[2], int *absent_fd)
{
	static char here[MOST_BYTES];
	struct uffd_msg fault;

	readers[0].to = absent_memory(MOST_BYTES, absent_fd);
	readers[1].to = here;
	readers[0].fd = open_device();
	readers[1].fd = readers[0].fd;
	pthread_create(&threads[0], NULL, read_one, &readers[0]);
	check("fault", read(*absent_fd, &fault, sizeof(fault)), 0);
	pthread_create(&threads[1], NULL, read_one, &readers[1]);
	sleep_us(300000);
	check_that("the second one waits", !__atomic_load_n(&nr_came, __ATOMIC_RELAXED));
}

static void wait_for_ever(int done)
{
	struct reader readers[2] = { 0 };
	static char here[MOST_BYTES];
	pthread_t threads[2];
	int absent_fd;

	start_both(readers, threads, &absent_fd);
	check("another session's", read_values(open_device(), here), 0);
	fflush(stdout);
	check("done", write(done, &nr_problems, sizeof(nr_problems)), 0);
	pause();
}

/* While the second reader waits, the process that is read makes itself undumpable. */
static int read_late(int asked)
{
	struct reader readers[2] = { { .want = 0 }, { .want = EACCES } };
	pthread_t threads[2];
	int absent_fd;
	char done;

	start_both(readers, threads, &absent_fd);
	kill(holder, SIGUSR1);
	check("asked", read(asked, &done, 1), 0);
	close(absent_fd);	/* the memory comes */
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fflush(stdout);
	return nr_problems;
}

static void check_waiting(void)
{
	int status, done[2], problems = 1;
	pid_t pid;

	check("pipe", pipe(done), 0);
	pid = fork_child();
	if (!pid)
		wait_for_ever(done[1]);
	check("done", read(done[0], &problems, sizeof(problems)), 0);
	check_that("they had no problems", !problems);
	kill(pid, SIGKILL);
	check_that("they are killed", waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void check_late(void)
{
	int status, asked[2], signal;
	sigset_t signals;
	pid_t pid;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	check("pipe", pipe(asked), 0);
	pid = fork_child();
	if (!pid)
		_exit(read_late(asked[0]));
	sigwait(&signals, &signal);
	check("undumpable", prctl(PR_SET_DUMPABLE, 0), 0);
	check("asked", write(asked[1], "", 1), 0);
	check_that("the reader that waited is refused",
		   waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
}

int main(void)
{
	if (pprof_new_profile("values") || pprof_add("values", &holder, 0))
		give_up("value");
	holder = getpid();
	check_waiting();
	check_late();
	return conclude();
}
