/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles that a process keeps itself: see pprof_client.h. */
#ifndef COLLECTOR_CUSTOM_H
#define COLLECTOR_CUSTOM_H

#include <sys/types.h>

struct collect;
struct dev;

/*
 * Has the process a profile of this name? 0, or -1 when a sentence was printed that
 * tells which there are.
 */
int custom_check(struct dev *d, pid_t pid, const char *name);

/* Each of its values becomes a sample. 0, or -1 when the cause was printed. */
int custom_take(struct dev *d, pid_t pid, const char *name, struct collect *collect);

#endif /* COLLECTOR_CUSTOM_H */
