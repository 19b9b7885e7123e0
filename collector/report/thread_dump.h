/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A snapshot of threads for people, as Go's debug=2 is of goroutines: each thread
 * on its own, with its state, its stack, and who created it if that was seen.
 */
#ifndef COLLECTOR_DUMP_H
#define COLLECTOR_DUMP_H

#include <stdint.h>

#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "pprof.h"

struct dump;
struct gzout;

/* The labels are borrowed. NULL with errno ENOMEM. */
struct dump *dump_new(const struct labels *labels);

/* NULL is fine. */
void dump_free(struct dump *d);

/*
 * Takes a sample of a thread, or of its creator (of PPROF_SOURCE_THREADCREATE), with
 * the number of its labels, whose stack is at these places, ids of locations. 0 or
 * -ENOMEM.
 */
int dump_add(struct dump *d, const struct pprof_sample *sample, uint64_t labels,
	     const uint64_t *places, uint32_t nr);

/*
 * Writes it, in order of the threads' tids, with comments (ended by a NULL) behind. 0
 * or a negative errno; the caller commits or aborts gz.
 */
int dump_write(struct dump *d, struct locations *locations, struct files *files,
	       const char *const *comments, struct gzout *gz);

#endif /* COLLECTOR_DUMP_H */
