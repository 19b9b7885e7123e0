/* SPDX-License-Identifier: GPL-2.0 */
/* Converts the profile of a run to the form that a request asks for. */
#ifndef COLLECTOR_SERVE_CONVERT_H
#define COLLECTOR_SERVE_CONVERT_H

struct serve_collection;

/*
 * Writes the profile or text in fd to standard output, as a flame graph, or with the name goroutine
 * in place of thread.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int serve_convert(const struct serve_collection *c, int fd);

/*
 * Writes the second profile minus the first one. first and second are their files. The result has
 * the time of the second. Its duration is the time between both, as in Go.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int serve_convert_difference(const struct serve_collection *c, int first, int second);

#endif /* COLLECTOR_SERVE_CONVERT_H */
