/* SPDX-License-Identifier: GPL-2.0 */
/* Counts truncated stacks by the file in which they end. */
#ifndef COLLECTOR_TRUNCATION_H
#define COLLECTOR_TRUNCATION_H

#include <stddef.h>
#include <stdint.h>

/* All zeroes is empty. */
struct truncation {
	uint64_t *by_file;
	size_t room;
};

/* Frees the counters. */
void truncation_fini(struct truncation *truncation);

/*
 * Counts samples whose stack ends in a file (see process/mapped_files.h).
 * Returns: 0, or -ENOMEM.
 */
int truncation_add(struct truncation *truncation, uint32_t file, uint64_t count);

/*
 * Returns the file with the most truncated samples, and sets *count to their number. Returns
 * MAPPED_FILES_NONE and 0 if there are none.
 */
uint32_t truncation_worst(const struct truncation *truncation, uint64_t *count);

#endif /* COLLECTOR_TRUNCATION_H */
