/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a file of any supported format into a model: the one way in for all commands. */
#ifndef COLLECTOR_PROFILE_FILE_H
#define COLLECTOR_PROFILE_FILE_H

#include <stdint.h>

struct decode_facts;
struct model;
struct profile_fault;

/*
 * Reads profile.proto, gzipped (one member or several) or not. path "-" is standard input. More
 * than max_bytes of inflated data are a fault; PROFILE_INPUT_MAX_BYTES is the usual limit
 * (pprof/profile_input.h). facts may be NULL.
 * Returns: 0 and *out, which model_free() frees; or a negative errno, and then *fault is set.
 */
int profile_file_read(const char *path, uint64_t max_bytes, struct model **out,
		      struct decode_facts *facts, struct profile_fault *fault);

#endif /* COLLECTOR_PROFILE_FILE_H */
