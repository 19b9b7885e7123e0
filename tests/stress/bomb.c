// SPDX-License-Identifier: GPL-2.0
/*
 * A fork bomb: each process forks as often as it may, for SECONDS. What may be
 * is for RLIMIT_NPROC to say.
 *
 *	bomb SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int main(int argc, char **argv)
{
	long *nr_forks = mmap(NULL, sizeof(*nr_forks), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t first = getpid(), pid;
	time_t end;

	if (argc != 2 || nr_forks == MAP_FAILED)
		return 2;
	end = seconds() + atol(argv[1]);
	while (seconds() < end) {
		pid = fork();
		if (pid > 0)
			__atomic_add_fetch(nr_forks, 1, __ATOMIC_RELAXED);
		else if (pid < 0)
			waitpid(-1, NULL, WNOHANG);
		else if (getpid() % 2)
			_exit(0);
	}
	while (wait(NULL) > 0)
		;
	if (getpid() == first)
		printf("forks=%ld\n", *nr_forks);
	return 0;
}
