/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads profiles of lock contention: those of Go's block and mutex profiles with debug=1, and of
 * gperftools.
 *
 *	--- contention:					or: --- mutex:, --- contentionz 1 ---
 *	cycles/second=3201000000
 *	sampling period=100
 *	19490304 27 @ 0xbccc97 0xc61202			cycles of delay, and contentions
 *
 * Delays become nanoseconds. Both values are multiplied by the sampling period.
 */
#ifndef COLLECTOR_READ_CONTENTION_H
#define COLLECTOR_READ_CONTENTION_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_contention_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_contention(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_CONTENTION_H */
