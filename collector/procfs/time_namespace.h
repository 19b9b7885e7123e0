/* SPDX-License-Identifier: GPL-2.0 */
/* Records have the clock of the initial time namespace; ours may be another. */
#ifndef COLLECTOR_TIMENS_H
#define COLLECTOR_TIMENS_H

#include <stdint.h>
#include <stdio.h>

/*
 * How much more CLOCK_MONOTONIC shows here than in records, in ns; 0 if nobody tells.
 * Reads /proc: keep it, as it never changes.
 */
int64_t timens_offset_ns(void);

/* The same, of a file such as /proc/self/timens_offsets. */
int64_t timens_read(FILE *f);

#endif /* COLLECTOR_TIMENS_H */
