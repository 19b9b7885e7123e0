/* SPDX-License-Identifier: GPL-2.0 */
/* The work for one request, in a process of its own. */
#ifndef COLLECTOR_SERVE_WORK_H
#define COLLECTOR_SERVE_WORK_H

struct serve_collection;
struct settings;

/*
 * Does the work of c, with the rates and limits of settings. Writes the result to standard output,
 * and messages to standard error. fd has the addresses for SERVE_SYMBOLS, or is the socket of a
 * recorder for a profile that counts from its start; else it is -1. The rights of this process are
 * gone afterwards.
 * Returns: the exit code SERVE_*.
 */
int serve_work(const struct serve_collection *c, const struct settings *settings, int fd);

#endif /* COLLECTOR_SERVE_WORK_H */
