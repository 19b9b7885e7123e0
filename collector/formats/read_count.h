/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads profiles that count stacks, as Go's goroutine and threadcreate profiles with debug=1:
 *
 *	threadcreate profile: total 7
 *	3 @ 0x44cb3 0x45045
 */
#ifndef COLLECTOR_READ_COUNT_H
#define COLLECTOR_READ_COUNT_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_count_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_count(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_COUNT_H */
