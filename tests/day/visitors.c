// SPDX-License-Identifier: GPL-2.0
/*
 * Starts ten processes a second, which end by themselves, until SIGTERM.
 *
 *	visitors NR_STAYING
 *
 * Each executes the program "visitor" in this folder. Each tenth one executes a copy, which is
 * removed at once: a file that is new to the profiler, with a build ID and unwind tables of its
 * own. The copy is some seconds old: the collector binds no tables to a younger file. NR_STAYING
 * processes stay until the end. Prints the numbers of processes and copies.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "visitor.h"

#define PROGRAM		"./visitor"
#define PERIOD_NS	100000000
#define NR_PER_COPY	10
#define COPY_AGE	5	/* in copies: one a second */

static volatile sig_atomic_t over;
static unsigned char image[8192];
static size_t image_bytes;

static void stop(int nr)
{
	(void)nr;
	over = 1;
}

static void read_program(void)
{
	int fd = open(PROGRAM, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd < 0 ? -1 : read(fd, image, sizeof(image));

	if (bytes <= 0 || bytes == sizeof(image))
		err(1, "cannot read %s", PROGRAM);
	image_bytes = bytes;
	close(fd);
}

/* Returns the only place of these bytes in the image. */
static unsigned char *find(const void *bytes, size_t nr)
{
	unsigned char *at = memmem(image, image_bytes, bytes, nr);

	if (!at || memmem(at + 1, image + image_bytes - at - 1, bytes, nr))
		errx(1, "%s has not exactly one place to change: build it from visitor.S", PROGRAM);
	return at;
}

/* Writes a number of 22 to 28 bits in the four bytes of a ULEB128. */
static void put_uleb128(unsigned char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (value >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0);
}

static void path_of_copy(char path[32], unsigned int nr)
{
	snprintf(path, 32, "./copy%u", nr);
}

/* Writes a copy that differs from all others. */
static void make_copy(unsigned int nr)
{
	static unsigned char *build_id, *cfa_offset;
	char path[32];
	int fd;

	if (!build_id) {
		unsigned char offset[4];

		put_uleb128(offset, VISITOR_CFA_OFFSET);
		build_id = find(VISITOR_BUILD_ID, strlen(VISITOR_BUILD_ID));
		cfa_offset = find(offset, sizeof(offset));
	}
	memcpy(build_id, &nr, sizeof(nr));
	put_uleb128(cfa_offset, (1U << 22) + 16 * nr);
	path_of_copy(path, nr);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, image, image_bytes) != (ssize_t)image_bytes || close(fd))
		err(1, "cannot write %s", path);
}

/* argument may be NULL. Returns when the process executes the program. */
static void begin(const char *path, char *argument)
{
	char *const argv[] = { "visitor", argument, NULL };
	pid_t pid = vfork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execve(path, argv, argv + 2);
		_exit(127);
	}
	if (pid < 0)
		err(1, "cannot start a process");
}

static void visit(unsigned int nr)
{
	unsigned int copy = nr / NR_PER_COPY;
	char path[32];

	if (nr % NR_PER_COPY == 0)
		make_copy(copy);
	if (nr % NR_PER_COPY || copy < COPY_AGE) {
		begin(PROGRAM, NULL);
		return;
	}
	path_of_copy(path, copy - COPY_AGE);
	begin(path, NULL);
	unlink(path);
}

static void add_period(struct timespec *time)
{
	time->tv_nsec += PERIOD_NS;
	if (time->tv_nsec < 1000000000)
		return;
	time->tv_nsec -= 1000000000;
	time->tv_sec++;
}

int main(int argc, char **argv)
{
	struct sigaction ended = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT };
	unsigned int nr = 0;
	struct timespec next;

	if (argc != 2)
		errx(2, "usage: visitors NR_STAYING");
	sigaction(SIGCHLD, &ended, NULL);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = stop }, NULL);
	read_program();
	for (int i = atoi(argv[1]); i > 0; i--)
		begin(PROGRAM, "stay");
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!over) {
		add_period(&next);
		if (!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL))
			visit(nr++);
	}
	printf("visitors: %u processes, %u copies\n", nr, (nr + NR_PER_COPY - 1) / NR_PER_COPY);
	return 0;
}
