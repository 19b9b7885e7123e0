/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends to the module, for each process, which unwind table covers which memory. See the top of
 * unwind_ranges.c.
 */
#ifndef COLLECTOR_RANGES_H
#define COLLECTOR_RANGES_H

#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"

struct files;
struct procs;
struct ranges;
struct tables;

/*
 * Sets all ranges of a process in the module: see PPROF_IOC_RANGES. image is its exec id.
 * Returns: 0, or a negative errno.
 */
typedef int (*ranges_tell_fn)(void *ctx, pid_t pid, uint64_t image,
			      const struct pprof_range *list, uint32_t nr);

/* All is borrowed and must live as long. */
struct ranges_parts {
	struct procs *procs;
	struct files *files;
	struct tables *tables;
	ranges_tell_fn tell;
	void *ctx;
};

/*
 * Makes the sender; ranges_free() frees it.
 * Returns: the sender, or NULL with errno ENOMEM.
 */
struct ranges *ranges_new(const struct ranges_parts *parts);

/* Frees the sender. r may be NULL. */
void ranges_free(struct ranges *r);

/*
 * Sends the ranges of each process whose mappings have changed. Memory whose table is still
 * being compiled is left out; when the last table of a process is there, all ranges are sent
 * again.
 * Returns: 0, or -ENOMEM.
 */
int ranges_update(struct ranges *r);

/* Returns how many times the module refused ranges, except for processes that had ended. */
uint64_t ranges_nr_refused(const struct ranges *r);

#endif /* COLLECTOR_RANGES_H */
