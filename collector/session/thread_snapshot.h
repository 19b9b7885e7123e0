/* SPDX-License-Identifier: GPL-2.0 */
/* A snapshot: one sample of each thread of the targets. */
#ifndef COLLECTOR_THREAD_SNAPSHOT_H
#define COLLECTOR_THREAD_SNAPSHOT_H

#include <stdint.h>
#include <sys/types.h>

struct device;

/*
 * Takes the snapshot. Calls drain(ctx) each time that the rings must be read; drain prints its
 * own errors.
 * Returns: 0; or -1 after an error message.
 */
int thread_snapshot_take(struct device *d, int (*drain)(void *ctx), void *ctx);

/*
 * For a session without hooks: does the process still execute the program that the snapshot
 * shows? exec_id is that of this program. Call this after the snapshot.
 * Returns: 0, also if the process has ended; or -1 after an error message.
 */
int thread_snapshot_check(struct device *d, pid_t pid, uint64_t exec_id);

#endif /* COLLECTOR_THREAD_SNAPSHOT_H */
