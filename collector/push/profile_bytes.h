/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles in memory: gzipped bytes, and the model of them. */
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

/* Appends the gzipped profile to b. Returns: 0, or -ENOMEM. */
int profile_bytes_encode(const struct model *m, struct byte_buffer *b);

/*
 * Replaces characters in the names of sample types, of units and of the period type that backends
 * refuse: see push_labels_clean_name(). Pyroscope refuses a '-', and Parca makes the name of a
 * metric of them (pkg/profile, parca; pkg/pprof, pyroscope).
 * Returns: 0, or -ENOMEM.
 */
int profile_bytes_clean_names(struct model *m);

#endif /* COLLECTOR_PUSH_PROFILE_BYTES_H */
