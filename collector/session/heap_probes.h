/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The uprobes of a heap profile: which functions of allocators get one, and what their hits cost.
 */
#ifndef COLLECTOR_HEAP_PROBES_H
#define COLLECTOR_HEAP_PROBES_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct device;
struct heap;

/*
 * Makes an empty list of uprobes; heap_free() frees it.
 * Returns: the list, or NULL with errno ENOMEM.
 */
struct heap *heap_new(void);

/* Frees the list and closes its files. h may be NULL. */
void heap_free(struct heap *h);

/* If no heap profile was requested, h is NULL. Then the functions below do nothing. */

/*
 * Checks that the session may have a heap profile. dev is borrowed: it gets the list of uprobes
 * after each change. The module places them when the source heap starts.
 * Returns: 0, or -1 after an error message.
 */
int heap_set_device(struct heap *h, struct device *dev);

/*
 * Adds the allocator functions of a process.
 * Returns: 0, or -1 after an error message.
 */
int heap_add_process(struct heap *h, pid_t pid);

/*
 * Adds the allocator functions of a program that is not executed yet: those in its files. If these
 * files are not known, adds those of pid, the process that will execute it.
 * Returns: 0, or -1 after an error message.
 */
int heap_add_program(struct heap *h, char *const *argv, pid_t pid);

/*
 * Adds the allocator functions of a child. A child without an allocator is no failure.
 * heap_warn_of_children() prints the failures.
 */
void heap_add_child(struct heap *h, pid_t pid);

/* Prints how many children heap_add_child() failed for. Prints nothing if it never failed. */
void heap_warn_of_children(const struct heap *h);

/*
 * Measures what one hit of a uprobe costs on this machine. The uprobe is in this process, and its
 * session is a separate one.
 */
void heap_measure_trap(struct heap *h);

/* Warns that nr programs were executed, which may have other allocators. */
void heap_warn_of_execs(const struct heap *h, int64_t nr);

/* Warns that nr frees were lost. The summary counts lost samples, but not these. */
void heap_warn_of_lost_frees(const struct heap *h, uint64_t nr);

/*
 * Warns if the profile has no samples, and names the cause. traps: hits of uprobes. samples: those
 * in the profile. lost: lost samples.
 */
void heap_warn_of_empty(const struct heap *h, uint64_t traps, uint64_t samples, uint64_t lost);

/* Prints to out what the hits of uprobes have cost. */
void heap_print_cost(const struct heap *h, FILE *out, uint64_t traps);

#endif /* COLLECTOR_HEAP_PROBES_H */
