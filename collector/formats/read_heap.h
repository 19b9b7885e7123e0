/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads heap profiles that are text: those of Go's debug=1 and of gperftools, and growth and
 * fragmentation profiles.
 *
 *	heap profile: 13: 1595680 [47: 2584596] @ heap/1048576
 *	1: 524288 [3: 1572864] @ 0x420cef 0x422151
 *
 * The numbers are objects and bytes in use, then those allocated. The allocated ones are read only
 * if the head has other sums for them. The word after "@" says how the values were sampled:
 *
 *	heap/R			each byte was sampled with a probability of 2/R
 *	heap_v2/R, heapz_v2/R	with a probability of 1/R
 *	heapprofile, growth[z], fragmentation[z]	the values are true, or unknown
 *
 * Sampled values are divided by the probability that an object of the mean size is sampled.
 */
#ifndef COLLECTOR_READ_HEAP_H
#define COLLECTOR_READ_HEAP_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_heap_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_heap(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_HEAP_H */
