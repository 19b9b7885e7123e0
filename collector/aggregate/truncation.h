/* SPDX-License-Identifier: GPL-2.0 */
/* Counts truncated stacks by the file in which they end. */
#ifndef COLLECTOR_CUTS_H
#define COLLECTOR_CUTS_H

#include <stddef.h>
#include <stdint.h>

/* All zeroes is empty. */
struct cuts {
	uint64_t *by_file;
	size_t room;
};

/* Frees the counters. */
void cuts_fini(struct cuts *cuts);

/*
 * Counts samples whose stack ends in a file (see process/mapped_files.h).
 * Returns: 0, or -ENOMEM.
 */
int cuts_add(struct cuts *cuts, uint32_t file, uint64_t count);

/*
 * Returns the file with the most truncated samples, and sets *count to their number. Returns
 * FILES_NONE and 0 if there are none.
 */
uint32_t cuts_worst(const struct cuts *cuts, uint64_t *count);

#endif /* COLLECTOR_CUTS_H */
