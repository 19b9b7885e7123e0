// SPDX-License-Identifier: GPL-2.0
/*
 * Programs in unusual states. They run until they are killed.
 *
 *	odd traced	its child single-steps, stops and continues it by ptrace
 *	odd jailed	strict seccomp; it makes no system call
 *	odd vforks	its vfork() children run in its memory
 *	odd absent	its frame pointer points into a userfaultfd area, which no process
 *			fills in
 */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../e2e/programs/absent.h"

#define PAGE_BYTES	4096UL
#define VFORK_ROUNDS	100000L

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void spin(volatile long rounds)
{
	while (rounds--)
		;
}

static void trace(pid_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_ATTACH, pid, 0, 0))
		fail("PTRACE_ATTACH");
	waitpid(pid, NULL, 0);
	for (unsigned int nr = 1;; nr++) {
		if (ptrace(nr % 100 ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, 0, 0))
			fail("PTRACE_CONT");
		if (nr % 100 == 0) {
			usleep(5000);
			kill(pid, SIGSTOP);
		}
		waitpid(pid, NULL, 0);
	}
}

static void run_traced(void)
{
	pid_t pid = getpid();

	if (!fork())
		trace(pid);
	for (;;)
		;
}

static void run_jailed(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		fail("seccomp");
	for (;;)
		;
}

static void run_vforks(void)
{
	pid_t pid;

	for (;;) {
		pid = vfork();
		if (pid < 0)
			fail("vfork");
		if (!pid) {
			spin(VFORK_ROUNDS);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* rsp is below the absent memory, so the frame pointer is plausible. */
static void run_absent(void)
{
	int fd;
	char *memory = absent_memory(2 * PAGE_BYTES, &fd) + PAGE_BYTES;

	__asm__ volatile("mov %[stack], %%rsp\n\t"
			 "mov %[frame], %%rbp\n"
			 "1:\tjmp 1b"
			 : : [stack] "r"(memory - PAGE_BYTES + 64), [frame] "r"(memory)
			 : "memory");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{ "traced", run_traced },
		{ "jailed", run_jailed },
		{ "vforks", run_vforks },
		{ "absent", run_absent },
	};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && argc == 2; i++)
		if (!strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	return 2;
}
