/* SPDX-License-Identifier: GPL-2.0 */
/* The work for one request, in a process of its own. */
#ifndef COLLECTOR_SERVE_WORK_H
#define COLLECTOR_SERVE_WORK_H

struct serve_collection;
struct settings;

/*
 * Does the work of c, with the rates and limits of settings. Writes the result to standard output,
 * and messages to standard error. For SERVE_SYMBOLS fd has the addresses. For a profile that counts
 * from the start of a recorder, it is the recorder's socket. Else it is -1. This process has given
 * up its rights afterwards.
 * Returns: the exit code SERVE_*.
 */
int serve_work(const struct serve_collection *c, const struct settings *settings, int fd);

#endif /* COLLECTOR_SERVE_WORK_H */
