// SPDX-License-Identifier: GPL-2.0
/*
 * Children of fork(), vfork(), posix_spawn() and clone(). clone() leaves the address of the child's
 * function where its stack begins.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* This program again, with the argument that ends it. */
static char *const command[] = { "/proc/self/exe", "end", NULL };

static void reap(pid_t pid)
{
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
}

static __attribute__((noinline)) void by_vfork(int executes)
{
	pid_t pid = vfork();

	if (!pid) {
		if (executes)
			execv(command[0], command);
		_exit(0);
	}
	reap(pid);
}

static __attribute__((noinline)) void by_spawn(void)
{
	pid_t pid;

	if (posix_spawn(&pid, command[0], NULL, NULL, command, environ))
		exit(1);
	reap(pid);
}

static int nothing(void *arg)
{
	return !!arg;
}

static __attribute__((noinline)) void by_clone(void)
{
	static char stack[16384] __attribute__((aligned(16)));

	reap(clone(nothing, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
}

static __attribute__((noinline)) void by_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	reap(pid);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;
	for (int i = 0; i < 3; i++) {
		by_vfork(0);
		by_fork();
	}
	by_vfork(1);
	by_spawn();
	by_clone();
	return 0;
}
