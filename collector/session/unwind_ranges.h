/* SPDX-License-Identifier: GPL-2.0 */
/* Which unwind table covers which memory of each process, told to the module. */
#ifndef COLLECTOR_RANGES_H
#define COLLECTOR_RANGES_H

#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"

struct files;
struct procs;
struct ranges;
struct tables;

/* All ranges of a process, to the module: see PPROF_IOC_RANGES. */
typedef int (*ranges_tell_fn)(void *ctx, pid_t pid, uint64_t image,
			      const struct pprof_range *list, uint32_t nr);

/* All are borrowed. */
struct ranges_parts {
	struct procs *procs;
	struct files *files;
	struct tables *tables;
	ranges_tell_fn tell;
	void *ctx;
};

/* NULL with errno ENOMEM. */
struct ranges *ranges_new(const struct ranges_parts *parts);

/* NULL is fine. */
void ranges_free(struct ranges *r);

/*
 * Tells of each process whose mappings have changed: of what has a table by now
 * or will never have one, and of all once the last table is there. 0 or -ENOMEM.
 */
int ranges_update(struct ranges *r);

/* How often the module refused, for another reason than the process's end. */
uint64_t ranges_nr_refused(const struct ranges *r);

#endif /* COLLECTOR_RANGES_H */
