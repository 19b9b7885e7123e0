/* SPDX-License-Identifier: GPL-2.0 */
/* A sample of every thread there is, now. */
#ifndef COLLECTOR_SNAPSHOT_H
#define COLLECTOR_SNAPSHOT_H

#include <stdint.h>
#include <sys/types.h>

struct dev;

/*
 * Has all threads sampled, and calls drain each time that the rings have to be
 * read. 0, or -1 when the cause was printed; drain returns the same.
 */
int snapshot_take(struct dev *d, int (*drain)(void *ctx), void *ctx);

/*
 * Afterwards, where no hook tells: does the process still execute image, of which the
 * snapshot is? 0, also if it has ended; or -1 when the cause was printed.
 */
int snapshot_check(struct dev *d, pid_t pid, uint64_t image);

#endif /* COLLECTOR_SNAPSHOT_H */
