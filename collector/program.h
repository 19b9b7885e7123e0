/* SPDX-License-Identifier: GPL-2.0 */
/* A program that we start, held before its first instruction until told. */
#ifndef COLLECTOR_PROGRAM_H
#define COLLECTOR_PROGRAM_H

#include <signal.h>
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
 * Forks; the child waits, and will have what start says. It ends by itself if we
 * end before program_go(). NULL with errno.
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
