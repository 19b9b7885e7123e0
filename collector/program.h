/* SPDX-License-Identifier: GPL-2.0 */
/* A program that we start, held before its first instruction until told. */
#ifndef COLLECTOR_PROGRAM_H
#define COLLECTOR_PROGRAM_H

#include <sys/types.h>

struct program;

/*
 * Forks; the child waits. It ends by itself if we end before program_go().
 * NULL with errno.
 */
struct program *program_new(char **argv);

/* Frees; a child that still runs is terminated by SIGTERM. NULL is fine. */
void program_free(struct program *p);

pid_t program_pid(const struct program *p);

/* Readable when the program has ended: a pidfd. */
int program_fd(const struct program *p);

/* Lets it execute: 0, or the negative errno of execvp(). */
int program_go(struct program *p);

#endif /* COLLECTOR_PROGRAM_H */
