/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf maps: symbols of code that a process generates at run time. Its compiler appends a line
 * "START SIZE NAME" for each function to /tmp/perf-PID.map, with hexadecimal numbers.
 *
 * The file belongs to the profiled user. Nothing in it is trusted, and the amount that is read
 * is limited.
 */
#ifndef COLLECTOR_PERF_MAP_H
#define COLLECTOR_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_map;

/* Room for the path, with its NUL. */
#define PERF_MAP_PATH_MAX	32

/* Of a larger file only the end is read; of more lines, only the last ones. */
#define PERF_MAP_MAX_BYTES	((size_t)64 << 20)
#define PERF_MAP_MAX_LINES	((size_t)1 << 20)

/*
 * Opens the perf map of pid. The path is one of the mount namespace of the process, and names its
 * pid in its own pid namespace. path becomes this path.
 * Returns: a descriptor that the caller closes; -ENOENT if there is none, or it is not a regular
 * file; -EPERM if its owner is neither the user of the process nor root; -ESTALE if it was last
 * written before the process started; -ESRCH; or another negative errno.
 */
int perf_map_open(pid_t pid, char path[PERF_MAP_PATH_MAX]);

/*
 * Reads the current content of a perf map, and always closes fd. Lines with another format are
 * skipped. So is a last line without its newline: the process is still writing it. begin is the
 * size of the file when the profile began: later lines are of the time of the profile.
 * perf_map_free() frees the map.
 * Returns: the map, or NULL with errno: ENOMEM, or an errno of read().
 */
struct perf_map *perf_map_read(int fd, uint64_t begin);

/* Frees the map. m may be NULL. */
void perf_map_free(struct perf_map *m);

/*
 * Returns the name of the code at addr, or NULL. The last line that covers addr counts, since
 * memory is reused. If that happened during the profile, *before becomes the name of the code that
 * was there first; else NULL. Names may hold any bytes except NUL and newline. They are valid as
 * long as m.
 */
const char *perf_map_find(const struct perf_map *m, uint64_t addr, const char **before);

#endif /* COLLECTOR_PERF_MAP_H */
