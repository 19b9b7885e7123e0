/* SPDX-License-Identifier: GPL-2.0 */
/* Walks over all descendants of a process. */
#ifndef COLLECTOR_CHILDREN_H
#define COLLECTOR_CHILDREN_H

#include <sys/types.h>

/*
 * Calls visit for each child of pid, then for the children of each child, and so on. A parent
 * always comes before its children. visit may stop the walk with a result other than 0.
 *
 * A process that is created during the walk may be missed. A process that has ended may still be
 * visited.
 *
 * Returns: the first result of visit that is not 0; else 0, or -ENOMEM.
 */
int children_visit(pid_t pid, int (*visit)(void *ctx, pid_t pid), void *ctx);

#endif /* COLLECTOR_CHILDREN_H */
