// SPDX-License-Identifier: GPL-2.0
/*
 * Signal handlers, on the stack that they interrupt, or with "alt" on a stack of their own. The
 * signals come from raise(), from a timer (at any instruction, or in a system call), from a fault,
 * and from another handler. One handler is left by siglongjmp().
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define ALT_BYTES	65536
#define NR_ALARMS	20
#define ALARM_USEC	20000

static volatile sig_atomic_t nr_alarms, nr_inner;
static sigjmp_buf escape;
static int *volatile nowhere;

static __attribute__((noinline)) int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) void work(void)
{
	int values[64];
	char text[64];

	for (int i = 0; i < 64; i++)
		values[i] = (i * 37) % 64;
	qsort(values, 64, sizeof(*values), compare);
	snprintf(text, sizeof(text), "%d %f", values[7], values[9] / 3.0);
	nr_inner += strlen(text) > 60;
}

static void on_alarm(int signal)
{
	(void)signal;
	nr_alarms++;
}

static void on_inner(int signal)
{
	(void)signal;
	nr_inner++;
	work();
}

static void on_outer(int signal)
{
	(void)signal;
	raise(SIGUSR2);
	work();
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	siglongjmp(escape, info->si_addr == nowhere ? 1 : 2);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	if (sigaction(signal, &action, NULL))
		exit(1);
}

static void handle_all(int flags)
{
	struct sigaction action = {
		.sa_sigaction = on_fault, .sa_flags = flags | SA_SIGINFO | SA_NODEFER,
	};

	handle(SIGALRM, on_alarm, flags | SA_RESTART);
	handle(SIGUSR1, on_outer, flags);
	handle(SIGUSR2, on_inner, flags);
	sigaction(SIGSEGV, &action, NULL);
}

static __attribute__((noinline)) int fault(int depth)
{
	if (depth)
		return fault(depth - 1) + 1;
	return *nowhere;
}

static void alarm_often(long usec)
{
	struct itimerval timer = { { 0, usec }, { 0, usec } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void at_any_time(void)
{
	alarm_often(ALARM_USEC);
	while (nr_alarms < NR_ALARMS)
		work();
	alarm_often(0);
}

static void out_of_system_calls(void)
{
	char byte;
	int ends[2];

	if (pipe(ends))
		exit(1);
	alarm_often(ALARM_USEC);
	pause();
	handle(SIGALRM, on_alarm, 0);
	if (read(ends[0], &byte, 1) == 1)
		exit(1);
	alarm_often(0);
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_size = ALT_BYTES };
	int alt = argc > 1 && !strcmp(argv[1], "alt");

	stack.ss_sp = malloc(ALT_BYTES);
	if (alt && sigaltstack(&stack, NULL))
		return 1;
	handle_all(alt ? SA_ONSTACK : 0);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	for (volatile int i = 0; i < 5; i++)
		if (!sigsetjmp(escape, 1))
			nr_inner += fault(i);
	at_any_time();
	out_of_system_calls();
	return 0;
}
