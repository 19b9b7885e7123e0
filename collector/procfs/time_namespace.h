/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The offset of this process's time namespace. Records carry the clock of the initial time
 * namespace; the collector may run in another one.
 */
#ifndef COLLECTOR_TIME_NAMESPACE_H
#define COLLECTOR_TIME_NAMESPACE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Returns how far CLOCK_MONOTONIC of this process is ahead of the clock of records, in ns.
 * Returns 0 if /proc does not show it. Each call reads /proc, and the offset never changes: keep
 * the result.
 */
int64_t time_namespace_offset_ns(void);

/*
 * Reads the same offset from an open file with the format of /proc/self/timens_offsets.
 * Returns 0 if the file has no line for the monotonic clock.
 */
int64_t time_namespace_read(FILE *f);

#endif /* COLLECTOR_TIME_NAMESPACE_H */
