/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads CPU profiles of gperftools. They are words of 32 or 64 bits in the byte order of the
 * machine, then the mappings as text. The words are:
 *
 *	0, 3, 0, PERIOD, 0		the head; the period is in microseconds
 *	COUNT, N, then N addresses	a stack, leaf first
 *	0, 1, 0				the end
 *
 * Java programs have 1 in place of the third word, and names in place of the mappings. The signal
 * handler of the profiler may leave up to two frames of its own above the leaf, and the leaf itself
 * once more: they are removed, as in Go's pprof.
 */
#ifndef COLLECTOR_READ_CPU_H
#define COLLECTOR_READ_CPU_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_cpu_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_cpu(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_CPU_H */
