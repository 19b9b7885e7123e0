// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command, and prints what it and its child processes took.
 *
 *	footprint MS COMMAND [ARG]...
 *
 * Each MS ms it adds up the PSS of all these processes: a child that was just forked shares its
 * memory with its parent. It prints cpu_us, the CPU time in user and kernel space, and peak_kib,
 * the largest sum. With MS 0 it does not look at the memory, and prints no peak.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/pss.h"

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(127);
}

static long long us_of(const struct timeval *time)
{
	return time->tv_sec * 1000000LL + time->tv_usec;
}

static pid_t target;

static void pass_on(int nr)
{
	kill(target, nr);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status, pidfd, ms;
	long kib, peak = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: footprint MS COMMAND [ARG]...\n");
		return 2;
	}
	ms = atoi(argv[1]);
	target = fork();
	if (target < 0)
		die("fork");
	if (!target) {
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	signal(SIGINT, pass_on);
	pidfd = syscall(SYS_pidfd_open, target, 0);
	while (pidfd >= 0 && ms && poll(&(struct pollfd){ pidfd, POLLIN, 0 }, 1, ms) <= 0) {
		kib = pss_of_all_kib(target);
		peak = kib > peak ? kib : peak;
	}
	if (wait4(target, &status, 0, &usage) != target)
		die("wait4");
	printf("cpu_us=%lld\nuser_us=%lld\n", us_of(&usage.ru_utime) + us_of(&usage.ru_stime),
	       us_of(&usage.ru_utime));
	if (ms)
		printf("peak_kib=%ld\n", peak);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
