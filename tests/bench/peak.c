// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command, and writes its peak resident memory in KiB into a file. If the command has
 * waited for child processes, the largest of all processes counts.
 *
 *	peak FILE COMMAND [ARG]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(127);
}

static void write_peak(const char *path)
{
	struct rusage usage;
	FILE *file = fopen(path, "w");

	if (!file || getrusage(RUSAGE_CHILDREN, &usage))
		die(path);
	fprintf(file, "%ld\n", usage.ru_maxrss);
	if (fclose(file))
		die(path);
}

int main(int argc, char **argv)
{
	pid_t pid;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: peak FILE COMMAND [ARG]...\n");
		return 2;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	write_peak(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
