/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of code that a process makes while it runs. Its compiler appends them
 * to /tmp/perf-PID.map, a line "START SIZE NAME" for each function, the numbers
 * hexadecimal. The file is the profiled user's: nothing in it is believed, and
 * no more of it is read than fits a limit.
 */
#ifndef COLLECTOR_PERFMAP_H
#define COLLECTOR_PERFMAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfmap;

#define PERFMAP_PATH_MAX	32

/* What is read of a longer file is its end, and of more lines the last ones. */
#define PERFMAP_MAX_BYTES	((size_t)64 << 20)
#define PERFMAP_MAX_LINES	((size_t)1 << 20)

/*
 * Opens the map of pid, in its mount namespace and by its number in its pid
 * namespace; path becomes the name that it has there. A descriptor for the
 * caller to close. -ENOENT if there is none or it is no regular file; -EPERM
 * if it belongs to neither the process's user nor root; -ESRCH, or what else
 * open() says.
 */
int perfmap_open(pid_t pid, char path[PERFMAP_PATH_MAX]);

/*
 * Reads what is in a map by now, and closes fd in any case. Lines of no such
 * form are skipped, as is a last one without its newline: it is being written.
 * NULL with errno: ENOMEM, or what read() says.
 */
struct perfmap *perfmap_read(int fd);

/* NULL is fine. */
void perfmap_free(struct perfmap *m);

/*
 * The name of the code at addr, by the last line that covers it: memory is used
 * again. NULL if there is none. Any bytes but NUL and newline; lives as long as m.
 */
const char *perfmap_find(const struct perfmap *m, uint64_t addr);

#endif /* COLLECTOR_PERFMAP_H */
