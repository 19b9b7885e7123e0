/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a file of any supported format into a model: the one way in for all commands. The first
 * bytes show the format:
 *
 *	profile.proto				pprof/decode.h
 *	legacy formats of Go's pprof		read_contention.h, read_count.h, read_cpu.h,
 *						read_heap.h, read_java.h, read_threads.h
 *	the output of perf script		read_perf_script.h
 *	folded stacks				read_folded.h
 */
#ifndef COLLECTOR_PROFILE_FILE_H
#define COLLECTOR_PROFILE_FILE_H

#include <stdint.h>

struct decode_facts;
struct model;
struct profile_fault;

/*
 * Reads a profile, gzipped (one member or several) or not. path "-" is standard input. More than
 * max_bytes of inflated data are a fault; PROFILE_INPUT_MAX_BYTES is the usual limit
 * (pprof/profile_input.h). facts may be NULL.
 * Returns: 0 and *out, which model_free() frees; or a negative errno, and then *fault is set. Its
 * text has the line of a fault in a text.
 */
int profile_file_read(const char *path, uint64_t max_bytes, struct model **out,
		      struct decode_facts *facts, struct profile_fault *fault);

#endif /* COLLECTOR_PROFILE_FILE_H */
