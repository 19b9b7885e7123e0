/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of /dev/pprof, for the programs that use it directly, and checks of their
 * results. A problem is a line on standard output.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pprof.h"

#define PAGE_BYTES	4096U
#define RING_BYTES	PPROF_MIN_RING_BYTES
#define PERIOD_NS	1000000U
#define NO_PID		4000000	/* close to the highest pid: almost never in use */

static int nr_problems, nr_checks;

/* Checks a call that returned ret: it should have failed with errno want, or succeeded (0). */
static inline void check(const char *what, long ret, int want)
{
	int got = ret < 0 ? errno : 0;

	nr_checks++;
	if (got == want)
		return;
	nr_problems++;
	printf("%s: %s, expected %s\n", what, got ? strerror(got) : "success",
	       want ? strerror(want) : "success");
}

static inline void check_that(const char *what, int holds)
{
	errno = EBADMSG;
	check(what, holds ? 0 : -1, 0);
}

/* Prints the cause from errno, and exits with 1. */
static inline void __attribute__((noreturn)) give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* As fork(); the child is killed when its parent thread ends. */
static inline pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		give_up("fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static inline int open_with(int flags)
{
	int fd = open("/dev/pprof", flags | O_CLOEXEC);

	if (fd < 0)
		give_up("/dev/pprof");
	return fd;
}

static inline int open_device(void)
{
	return open_with(O_RDWR);
}

/* A client: for custom profiles and labels. */
static inline int open_client(void)
{
	return open_with(O_WRONLY);
}

static inline int setup(int fd, unsigned int flags, unsigned int ring_bytes)
{
	struct pprof_setup arg = { .size = sizeof(arg), .flags = flags, .ring_bytes = ring_bytes };

	return ioctl(fd, PPROF_IOC_SETUP, &arg);
}

/* A sample of each thread, until the rings are full. */
static inline void take_snapshot(int fd)
{
	struct pprof_threads threads = { .size = sizeof(threads) };

	if (ioctl(fd, PPROF_IOC_THREADS, &threads) && errno != EAGAIN)
		check("threads", -1, 0);
}

/* Also gets the exec id, if exec_id is not NULL. */
static inline int attach(int fd, int pid, __u64 *exec_id)
{
	struct pprof_attach arg = { .size = sizeof(arg), .pid = pid };
	int ret = ioctl(fd, PPROF_IOC_ATTACH, &arg);

	if (exec_id)
		*exec_id = arg.exec_id;
	return ret;
}

static inline int start(int fd, unsigned int source, unsigned long long period)
{
	struct pprof_start arg = { .size = sizeof(arg), .source = source,
				   .period = period };

	return ioctl(fd, PPROF_IOC_START, &arg);
}

static inline int stop(int fd, unsigned int source)
{
	struct pprof_stop arg = { .size = sizeof(arg), .source = source };

	return ioctl(fd, PPROF_IOC_STOP, &arg);
}

/* Reads the exec id of a process. The kernel checks the rights as for an attach. */
static inline int read_exec_id(int fd, int pid, __u64 *exec_id)
{
	struct pprof_attach arg = { .size = sizeof(arg), .pid = pid };
	int ret = ioctl(fd, PPROF_IOC_EXEC_ID, &arg);

	*exec_id = arg.exec_id;
	return ret;
}

static inline int add_table(int fd, const void *data, unsigned int bytes, unsigned int *number)
{
	struct pprof_table_add arg = {
		.size = sizeof(arg), .data = (unsigned long)data, .bytes = bytes,
	};
	int ret = ioctl(fd, PPROF_IOC_TABLE_ADD, &arg);

	*number = arg.table;
	return ret;
}

/* Binds the table to the open file @file, as it is now. */
static inline int bind_table(int fd, unsigned int number, int file)
{
	struct pprof_table_bind arg = { .size = sizeof(arg), .table = number, .fd = file };
	struct stat st = { .st_ino = 0 };

	fstat(file, &st);
	arg.ctime_sec = st.st_ctim.tv_sec;
	arg.ctime_nsec = st.st_ctim.tv_nsec;
	return ioctl(fd, PPROF_IOC_TABLE_BIND, &arg);
}

static inline int drop_table(int fd, unsigned int number)
{
	struct pprof_table_drop arg = { .size = sizeof(arg), .table = number };

	return ioctl(fd, PPROF_IOC_TABLE_DROP, &arg);
}

static inline int set_ranges(int fd, int pid, __u64 exec_id, const struct pprof_range *ranges,
			     unsigned int nr)
{
	struct pprof_ranges arg = {
		.size = sizeof(arg), .pid = pid, .exec_id = exec_id,
		.ranges = (unsigned long)ranges, .nr = nr,
	};

	return ioctl(fd, PPROF_IOC_RANGES, &arg);
}

static inline void sleep_us(long us)
{
	struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

/* Monotonic: no clock adjustment makes it jump. */
static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Prints the sums. Returns: the exit code of the program. */
static inline int conclude(void)
{
	printf("%d checks, %d problems\n", nr_checks, nr_problems);
	return nr_problems > 0;
}

#endif
