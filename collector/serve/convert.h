/* SPDX-License-Identifier: GPL-2.0 */
/* Changes a profile that a run has taken into what a request asks for. */
#ifndef COLLECTOR_SERVE_CONVERT_H
#define COLLECTOR_SERVE_CONVERT_H

struct serve_collection;

/*
 * Writes the profile or text in fd to standard output: as a flame graph, or with the name goroutine
 * instead of thread.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int serve_convert(const struct serve_collection *c, int fd);

/*
 * Writes what the second profile has more than the first one. Its time is that of the second, and
 * its duration the time between both, as in Go.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int serve_convert_difference(const struct serve_collection *c, int first, int second);

#endif /* COLLECTOR_SERVE_CONVERT_H */
