// SPDX-License-Identifier: GPL-2.0
/*
 * For SECONDS, this program gets as many signals as possible, from a timer of 10 kHz and from a
 * child. It handles them on an alternate signal stack.
 *
 *	sigstorm SECONDS
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long handled;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static pid_t start_storm(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		kill(getppid(), SIGUSR1);
}

static void catch_signals(void)
{
	static char stack[1 << 16];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
}

int main(int argc, char **argv)
{
	struct itimerval timer = { .it_interval.tv_usec = 100, .it_value.tv_usec = 100 };
	struct timespec now;
	time_t end;
	pid_t pid;

	if (argc != 2)
		return 2;
	catch_signals();
	pid = start_storm();
	setitimer(ITIMER_REAL, &timer, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + atol(argv[1]);
	while (now.tv_sec < end)
		clock_gettime(CLOCK_MONOTONIC, &now);
	kill(pid, SIGKILL);
	printf("signals=%lu\n", handled);
	return 0;
}
