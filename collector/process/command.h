/* SPDX-License-Identifier: GPL-2.0 */
/* A program that we start, held before its first instruction until told. */
#ifndef COLLECTOR_PROGRAM_H
#define COLLECTOR_PROGRAM_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct program;

/*
 * What we were started with, and change for ourselves: a program that we start
 * behaves as it does without us.
 */
struct program_start {
	sigset_t blocked;
	struct rlimit files;	/* RLIMIT_NOFILE */
	void (*on_child)(int signal);	/* SIGCHLD */
};

/*
 * Reads what there is now; to be called before any of it is changed. From now on the
 * pid of a child of ours is nobody else's until we have waited for it, also where
 * SIGCHLD was ignored.
 */
void program_note_start(struct program_start *start);

/*
 * The file that execvp() would execute, by its own PATH if there is none. False: there
 * is none, or it can't be executed.
 */
bool program_find(const char *program, char path[PATH_MAX]);

/*
 * Forks; the child waits, and will have what start says. It ends by itself if we
 * end before program_go(). NULL with errno. While it waits a page of its program is
 * among what it has mapped as code, if that may be read and is no script: so it is seen
 * what it is going to need.
 */
struct program *program_new(char **argv, const struct program_start *start);

/* Frees; a child that still runs is terminated by SIGTERM. NULL is fine. */
void program_free(struct program *p);

pid_t program_pid(const struct program *p);

/* Readable when the program has ended: a pidfd. */
int program_fd(const struct program *p);

/* Lets it execute: 0, or the negative errno of execvp(). */
int program_go(struct program *p);

#endif /* COLLECTOR_PROGRAM_H */
