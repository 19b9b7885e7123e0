/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's half of one CPU's ring. The format and the barriers C and D
 * are in uapi/pprof.h.
 */
#ifndef COLLECTOR_RING_H
#define COLLECTOR_RING_H

#include <stdint.h>

#include "pprof.h"

/* One reader at a time. Both pages and the data are mapped by the caller. */
struct ring {
	const struct pprof_ring_head *head_page;
	struct pprof_ring_tail *tail_page;
	const unsigned char *data;
	uint32_t bytes;		/* of data, a power of two */
};

/* How far the kernel has written: everything before it may be read. */
uint64_t ring_head(const struct ring *r);

/* Where reading goes on: the last ring_release(), at first 0. */
uint64_t ring_tail(const struct ring *r);

/*
 * The record at *pos, which moves behind it; pads are skipped. NULL at head.
 * Records lie whole and 8-aligned in the data, until released. A record that
 * can't be true ends the reading too, with *pos at head: nothing behind it
 * could be found.
 */
const struct pprof_record *ring_next(const struct ring *r, uint64_t *pos, uint64_t head);

/* Gives everything before pos back to the kernel. */
void ring_release(struct ring *r, uint64_t pos);

/* What is read in one go: up to where the head was when it began. */
struct ring_reading {
	uint64_t pos;
	uint64_t head;
};

#endif /* COLLECTOR_RING_H */
