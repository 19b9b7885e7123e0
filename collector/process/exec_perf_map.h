/* SPDX-License-Identifier: GPL-2.0 */
/* The perf map of an exec id: the names of its code without a file, which a compiler writes. */
#ifndef COLLECTOR_EXEC_PERF_MAP_H
#define COLLECTOR_EXEC_PERF_MAP_H

#include <stdint.h>

struct device;
struct exec_image;
struct mapped_files;

/* Shortest time between two searches for the perf map of one exec id. */
#define EXEC_PERF_MAP_RETRY_NS	UINT64_C(100000000)

/*
 * Returns the file number of the perf map, or MAPPED_FILES_NONE. The path has the pid alone, so the
 * map belongs to the program that the process executes now. A compiler may map code 1,000 times a
 * second: the search is limited to one in EXEC_PERF_MAP_RETRY_NS.
 */
uint32_t exec_perf_map_find(struct exec_image *exec, struct mapped_files *files,
			    struct device *dev);

/* Does the same, but rarely if earlier searches found no map. now: CLOCK_MONOTONIC. */
void exec_perf_map_poll(struct exec_image *exec, struct mapped_files *files, struct device *dev,
			uint64_t now);

#endif /* COLLECTOR_EXEC_PERF_MAP_H */
