/* SPDX-License-Identifier: GPL-2.0 */
/* Starts a child that waits until it is killed. It is also killed when this process ends. */
#ifndef TESTS_WAITING_H
#define TESTS_WAITING_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Returns the child's pid, or -1 with the errno of fork(). waiting_end() ends the child. */
static inline pid_t waiting_start(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static inline void waiting_end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

#endif
