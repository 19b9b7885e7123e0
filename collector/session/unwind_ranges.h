/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends to the module, for each process, which unwind table covers which memory. See the top of
 * unwind_ranges.c.
 */
#ifndef COLLECTOR_UNWIND_RANGES_H
#define COLLECTOR_UNWIND_RANGES_H

#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"

struct mapped_files;
struct processes;
struct unwind_ranges;
struct unwind_tables;

/*
 * Sets all ranges of a process in the module: see PPROF_IOC_RANGES. image is its exec id.
 * Returns: 0, or a negative errno.
 */
typedef int (*unwind_ranges_send_fn)(void *ctx, pid_t pid, uint64_t exec_id,
				     const struct pprof_range *list, uint32_t nr);

/* All is borrowed and must live as long. */
struct unwind_ranges_parts {
	struct processes *processes;
	struct mapped_files *files;
	struct unwind_tables *tables;
	unwind_ranges_send_fn send;
	void *ctx;
};

/*
 * Makes the sender; unwind_ranges_free() frees it.
 * Returns: the sender, or NULL with errno ENOMEM.
 */
struct unwind_ranges *unwind_ranges_new(const struct unwind_ranges_parts *parts);

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

#endif /* COLLECTOR_UNWIND_RANGES_H */
