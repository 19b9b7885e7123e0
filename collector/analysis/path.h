/* SPDX-License-Identifier: GPL-2.0 */
/* Paths in profiles. They are text only: nothing is looked up in the file system. */
#ifndef COLLECTOR_ANALYSIS_PATH_H
#define COLLECTOR_ANALYSIS_PATH_H

#include <stddef.h>

/*
 * Finds the last component of a path of len bytes, without slashes after it. It is "." if the path
 * is empty, and "/" if it has slashes only.
 * Returns: its first byte, in path or in a constant. *base_len becomes its length: no NUL need
 * follow.
 */
const char *path_base(const char *path, size_t len, size_t *base_len);

/*
 * Writes the shortest path that means the same, as Go's filepath.Clean(): "a//b/../c/." becomes
 * "a/c". out has room for len bytes, and for 1 if len is 0.
 * Returns: the length in out. Writes no NUL.
 */
size_t path_clean(const char *path, size_t len, char *out);

#endif /* COLLECTOR_ANALYSIS_PATH_H */
