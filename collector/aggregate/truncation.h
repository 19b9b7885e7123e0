/* SPDX-License-Identifier: GPL-2.0 */
/* In which files the stacks end that are truncated. */
#ifndef COLLECTOR_CUTS_H
#define COLLECTOR_CUTS_H

#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct cuts {
	uint64_t *by_file;
	size_t room;
};

void cuts_fini(struct cuts *cuts);

/* Counts samples that end in a file of process/mapped_files.h. 0 or -ENOMEM. */
int cuts_add(struct cuts *cuts, uint32_t file, uint64_t count);

/* The file where most do, and how many; FILES_NONE and 0: nowhere. */
uint32_t cuts_worst(const struct cuts *cuts, uint64_t *count);

#endif /* COLLECTOR_CUTS_H */
