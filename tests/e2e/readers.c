// SPDX-License-Identifier: GPL-2.0
/*
 * Reads values of its own into memory that never comes: another reader of the same session
 * has to wait, so that these hold no more than one buffer; one of another session has not.
 * All of them can be killed.
 *
 *	readers
 */
#include <pthread.h>
#include <sys/wait.h>

#include "absent.h"
#include "device.h"
#include "pprof_client.h"

#define MOST_BYTES	(256U << 10)	/* that a reader is given at once */

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
};

static void *read_one(void *arg)
{
	const struct reader *reader = arg;

	check("read", read_values(reader->fd, reader->to), 0);
	__atomic_fetch_add(&nr_came, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The second one reads when the first waits for its memory. */
static int read_and_wait(void)
{
	static char here[MOST_BYTES];
	struct reader stuck = { .fd = open_device() }, second = { stuck.fd, here };
	int other = open_device(), absent_fd;
	struct uffd_msg fault;
	pthread_t threads[2];

	stuck.to = absent_memory(MOST_BYTES, &absent_fd);
	pthread_create(&threads[0], NULL, read_one, &stuck);
	check("fault", read(absent_fd, &fault, sizeof(fault)), 0);
	pthread_create(&threads[1], NULL, read_one, &second);
	check("another session's", read_values(other, here), 0);
	sleep_us(300000);
	check_that("the second one waits", !__atomic_load_n(&nr_came, __ATOMIC_RELAXED));
	return nr_problems;
}

int main(void)
{
	int status, done[2], problems = 1;
	pid_t pid;

	if (pprof_new_profile("values") || pprof_add("values", &holder, 0) || pipe(done))
		give_up("value");
	holder = getpid();
	pid = fork_child();
	if (!pid) {
		problems = read_and_wait();
		fflush(stdout);
		check("done", write(done[1], &problems, sizeof(problems)), 0);
		pause();
	}
	check("done", read(done[0], &problems, sizeof(problems)), 0);
	check_that("they had no problems", !problems);
	kill(pid, SIGKILL);
	check_that("they are killed", waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	return conclude();
}
