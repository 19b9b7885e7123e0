// SPDX-License-Identifier: GPL-2.0
#include "cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;	/* 0: there is none */
static bool has_stderr;	/* messages go to the pager, too */

static bool is_wanted(const char *command)
{
	return !command || (*command && strcmp(command, "cat"));
}

/* F: end if the text fits on a page. R: colours. X: leave the text on the terminal. */
static void __attribute__((noreturn)) execute(const char *command)
{
	setenv("LESS", "FRX", 0);
	if (command)
		execlp("sh", "sh", "-c", command, NULL);
	execlp("less", "less", NULL);
	execlp("cat", "cat", NULL);
	_exit(127);
}

/* The pager ends when it has read all. */
static void close_outputs(void)
{
	close(STDOUT_FILENO);
	if (has_stderr)
		close(STDERR_FILENO);
}

/* An interrupt ends the collector. The shell must not show its prompt before the pager ends. */
static void end_by_signal(int signal)
{
	close_outputs();
	waitpid(pager, NULL, 0);
	_exit(128 + signal);
}

void pager_start(void)
{
	const char *command = getenv("PAGER");
	int fds[2];

	if (!is_wanted(command) || pipe2(fds, O_CLOEXEC))
		return;
	pager = fork();
	if (!pager) {
		dup2(fds[0], STDIN_FILENO);
		execute(command);
	}
	if (pager > 0) {
		dup2(fds[1], STDOUT_FILENO);
		has_stderr = isatty(STDERR_FILENO) && dup2(fds[1], STDERR_FILENO) >= 0;
		signal(SIGINT, end_by_signal);
	} else {
		pager = 0;
	}
	close(fds[0]);
	close(fds[1]);
}

void pager_end(void)
{
	if (!pager)
		return;
	fflush(stdout);
	close_outputs();
	signal(SIGINT, SIG_IGN);
	waitpid(pager, NULL, 0);
	pager = 0;
}
