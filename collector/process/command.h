/* SPDX-License-Identifier: GPL-2.0 */
/* Starts a program, and holds it before its first instruction until the caller releases it. */
#ifndef COLLECTOR_COMMAND_H
#define COLLECTOR_COMMAND_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct command;

/*
 * The state at the start of this process, as far as the process changes it. A started program
 * gets it back, and so behaves as without the collector.
 */
struct command_start {
	/* Signal mask. */
	sigset_t blocked;
	struct rlimit files;	/* limit RLIMIT_NOFILE */
	void (*on_child)(int signal);	/* handler of SIGCHLD */
};

/*
 * Reads the current state into start, and sets SIGCHLD to its default. Call this before any of
 * it is changed. From then on, the pid of a child is not reused until the child is waited for,
 * even if SIGCHLD was ignored before.
 */
void command_start_now(struct command_start *start);

/*
 * Finds the file that execvp() would execute, and writes its path to path. Without PATH in the
 * environment, uses the default of execvp(). Returns false with the errno of execvp() if there is
 * none, or it may not be executed.
 */
bool command_find(const char *program, char path[PATH_MAX]);

/*
 * Forks a child that waits for command_go(), and will then execute argv with the state in start.
 * The child ends if this process ends before.
 *
 * While the child waits, one page of its program is mapped as code, if the program is a readable
 * ELF file. So the unwind tables that it will need can be found before it runs.
 * Returns: the program, for command_free(), or NULL with errno.
 */
struct command *command_new(char **argv, const struct command_start *start);

/* Frees the program. A child that still runs gets SIGTERM. p may be NULL. */
void command_free(struct command *p);

/* Returns the pid of the child. It stays valid until command_free(). */
pid_t command_pid(const struct command *p);

/* Returns a pidfd: it is readable when the program has ended. p owns it. */
int command_fd(const struct command *p);

/*
 * Lets the child execute its program, and waits until it has done so.
 * Returns: 0, or the negative errno of execvp().
 */
int command_go(struct command *p);

#endif /* COLLECTOR_COMMAND_H */
