// SPDX-License-Identifier: GPL-2.0
/*
 * A fork bomb: each process forks twice and ends, until there were TIMES forks in all.
 *
 *	bomb TIMES
 *
 * RLIMIT_NPROC limits the number of processes. If a fork fails, the process ends, except the
 * first one: it waits until another has ended. Processes that fork again and again would take
 * CPU time from the others.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_CHILDREN	2

int main(int argc, char **argv)
{
	long *nr_forks = mmap(NULL, sizeof(*nr_forks), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long left = LONG_MAX, times;
	pid_t first = getpid(), pid;

	if (argc != 2 || nr_forks == MAP_FAILED)
		return 2;
	times = atol(argv[1]);
	while (left > 0 && __atomic_load_n(nr_forks, __ATOMIC_RELAXED) < times) {
		pid = fork();
		if (pid < 0 && getpid() != first)
			break;
		if (pid < 0)
			wait(NULL);
		if (!pid)
			left = NR_CHILDREN;
		if (pid > 0) {
			__atomic_add_fetch(nr_forks, 1, __ATOMIC_RELAXED);
			left--;
		}
	}
	if (getpid() == first)
		printf("forks=%ld\n", *nr_forks);
	return 0;
}
