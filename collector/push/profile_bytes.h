/* SPDX-License-Identifier: GPL-2.0 */
/* Converts between the two forms of a profile in memory: gzipped bytes and the model. */
#ifndef COLLECTOR_PUSH_PROFILE_BYTES_H
#define COLLECTOR_PUSH_PROFILE_BYTES_H

#include <stddef.h>

struct byte_buffer;
struct model;
struct profile_fault;

/*
 * Decodes a profile, gzipped or not. model_free() frees *out.
 * Returns: 0, or a negative errno, and then *fault is set.
 */
int profile_bytes_decode(const void *data, size_t len, struct model **out,
			 struct profile_fault *fault);

/* Encodes m, and appends it to b with gzip. Returns: 0, or -ENOMEM. */
int profile_bytes_encode(const struct model *m, struct byte_buffer *b);

/*
 * Cleans the names of sample types, of units and of the period type with push_labels_clean_name().
 * Pyroscope refuses a '-' in them, and Parca makes the name of a metric from them (pkg/pprof of
 * pyroscope; pkg/profile of parca).
 * Returns: 0, or -ENOMEM.
 */
int profile_bytes_clean_names(struct model *m);

#endif /* COLLECTOR_PUSH_PROFILE_BYTES_H */
