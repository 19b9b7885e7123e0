/* SPDX-License-Identifier: GPL-2.0 */
/* What a heap profile needs beside a session: where allocators are, what it costs. */
#ifndef COLLECTOR_HEAP_H
#define COLLECTOR_HEAP_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct dev;
struct heap;

/* NULL with errno ENOMEM. */
struct heap *heap_new(void);

/* NULL is fine. */
void heap_free(struct heap *h);

/* Below, a heap that is NULL, where none is asked for, is fine: nothing is done. */

/*
 * May the session have a heap profile? 0, or -1 with the cause printed. It is told
 * what is added; the caller keeps it.
 */
int heap_check(struct heap *h, struct dev *dev);

/*
 * Adds the functions of what a process allocates with, or a program that is not
 * executed yet: what its files have, or else, where those are not known, what pid
 * has, that is to execute it. 0, or -1 with the cause printed; a child without is none
 * of that.
 */
int heap_add_process(struct heap *h, pid_t pid);
int heap_add_program(struct heap *h, const char *program, pid_t pid);
void heap_add_child(struct heap *h, pid_t pid);

/*
 * Tries what a breakpoint costs on this machine, on this process in a session of its
 * own, and warns of the children that were left out.
 */
void heap_try(struct heap *h);

/* Programs were executed, so many, which may have other allocators. */
void heap_warn_of_execs(const struct heap *h, int64_t nr);

/* Frees, so many, were lost: lost samples are in the summary, but not these. */
void heap_warn_of_lost_frees(const struct heap *h, uint64_t nr);

/* What traps, so many, have cost. */
void heap_print_cost(const struct heap *h, FILE *out, uint64_t traps);

#endif /* COLLECTOR_HEAP_H */
