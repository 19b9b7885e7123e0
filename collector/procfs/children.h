/* SPDX-License-Identifier: GPL-2.0 */
/* The processes below a process. */
#ifndef COLLECTOR_CHILDREN_H
#define COLLECTOR_CHILDREN_H

#include <sys/types.h>

/*
 * Calls visit for each child of pid, then for the child's children and so on;
 * a parent always before its children. Stops at visit's first non-zero result
 * and returns it, else 0 or -ENOMEM. Who comes meanwhile may be missed, and who
 * goes may be visited.
 */
int children_visit(pid_t pid, int (*visit)(void *ctx, pid_t pid), void *ctx);

#endif /* COLLECTOR_CHILDREN_H */
