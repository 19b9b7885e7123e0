/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends to the module, for each process, which unwind table covers which memory. See the top of
 * unwind_ranges.c.
 */
#ifndef COLLECTOR_UNWIND_RANGES_H
#define COLLECTOR_UNWIND_RANGES_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct device;
struct mapped_files;
struct processes;
struct unwind_ranges;
struct unwind_tables;

/*
 * Makes the sender; unwind_ranges_free() frees it. All arguments are borrowed, and outlive the
 * sender. dev is a session that was set up with PPROF_SETUP_TABLES.
 * Returns: the sender, or NULL with errno ENOMEM.
 */
struct unwind_ranges *unwind_ranges_new(struct processes *processes, struct mapped_files *files,
					struct unwind_tables *tables, struct device *dev);

/*
 * From now on r also sends where the threads have their contexts. The session was set up with
 * PPROF_SETUP_CONTEXT.
 * Returns: 0, or -ENOMEM.
 */
int unwind_ranges_send_contexts(struct unwind_ranges *r);

/* Frees the sender. r may be NULL. */
void unwind_ranges_free(struct unwind_ranges *r);

/*
 * Sends the ranges of each process whose mappings have changed. Memory whose table is still
 * being compiled is left out; when the last table of a process is there, all ranges are sent
 * again.
 * Returns: 0, or -ENOMEM.
 */
int unwind_ranges_update(struct unwind_ranges *r);

/* Returns how many times the module refused ranges, except for processes that had ended. */
uint64_t unwind_ranges_nr_refused(const struct unwind_ranges *r);

/* A process with more executable mappings than the module takes: PPROF_MAX_RANGES. */
struct unwind_ranges_over {
	pid_t pid;	/* 0: there was none */
	size_t nr;	/* the most mappings that it had */
};

/* Returns the first such process. Its mappings that have no unwind table were dropped first. */
struct unwind_ranges_over unwind_ranges_over(const struct unwind_ranges *r);

/*
 * Forgets the files with keep[file] false, of nr. The number may stand for another file from now
 * on.
 */
void unwind_ranges_keep(struct unwind_ranges *r, const bool *keep, uint32_t nr);

#endif /* COLLECTOR_UNWIND_RANGES_H */
