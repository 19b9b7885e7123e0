/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the locations of a raw stack, and the mapping of the main program. */
#ifndef COLLECTOR_STACK_LOCATOR_H
#define COLLECTOR_STACK_LOCATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "aggregate/locations.h"
#include "base/tuple_map.h"
#include "pprof.h"
#include "process/processes.h"

/* Limit of the locations of one stack: its frames, and the reason for its truncation. */
#define STACK_LOCATOR_MAX	(PPROF_MAX_KERNEL_FRAMES + PPROF_MAX_FRAMES + 1)

/* Name of the frame between kernel frames and user frames, if some kernel frames are missing. */
#define STACK_LOCATOR_CUT_NAME	"[truncated: kernel stack]"

struct stack_locator {
	/* Borrowed. */
	struct processes *processes;
	struct locations *locations;
	/* Process whose program is the main one; 0 for the first known program. */
	pid_t pid;
	/* Mapping id of the main program (see locations.h). Negative if it is not known yet. */
	int64_t exe_mapping;
	/* exe_mapping is final: it is the program of pid, or pid is 0. */
	bool exe_found;
};

/*
 * Fills ids with the location ids of a raw stack, leaf first, at most STACK_LOCATOR_MAX. The last
 * one names the end reason if the user stack is truncated or has no frame. source is
 * PPROF_SOURCE_*.
 * Returns: the number of ids, at least 1, or -ENOMEM.
 */
int stack_locator_find(struct stack_locator *l, uint32_t source, const struct tuple *raw,
		       uint64_t *ids);

/*
 * Learns the main program from an epoch that has a sample.
 * Returns: 0, or -ENOMEM.
 */
int stack_locator_find_exe(struct stack_locator *l, uint32_t epoch);

#endif /* COLLECTOR_STACK_LOCATOR_H */
