/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes of a file or of memory. gzip members, one or several, are inflated. */
#ifndef COLLECTOR_PROFILE_SOURCE_H
#define COLLECTOR_PROFILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_fault;
struct profile_source;

/*
 * Opens a file; "-" is standard input. profile_source_free() closes it.
 * Returns: 0 and *out, or a negative errno, and then *fault is set.
 */
int profile_source_open(struct profile_source **out, const char *path,
			struct profile_fault *fault);

/* Opens data that is in memory, which the caller keeps. Returns: as profile_source_open(). */
int profile_source_open_memory(struct profile_source **out, const void *data, size_t len,
			       struct profile_fault *fault);

/* Closes the file. s may be NULL. */
void profile_source_free(struct profile_source *s);

/* Is it a gzip file with so much data that inflating it takes longer than the start of a thread? */
bool profile_source_is_large(const struct profile_source *s);

/*
 * Reads up to len bytes; len is not 0. *got becomes their number, and is 0 only at the end.
 * Locks: none; one thread at a time may read.
 * Returns: 0, or a negative errno, and then *fault is set and *got is 0.
 */
int profile_source_read(struct profile_source *s, uint8_t *to, size_t len, size_t *got,
			struct profile_fault *fault);

#endif /* COLLECTOR_PROFILE_SOURCE_H */
