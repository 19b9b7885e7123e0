/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's half of one CPU's ring. The format and the barriers C and D are described in
 * uapi/pprof.h.
 */
#ifndef COLLECTOR_RING_H
#define COLLECTOR_RING_H

#include <stdint.h>

#include "pprof.h"

/* The caller maps both pages and the data. Only one thread may read a ring at a time. */
struct ring {
	const struct pprof_ring_head *head_page;
	struct pprof_ring_tail *tail_page;
	const unsigned char *data;
	uint32_t bytes;		/* of data; a power of two */
};

/* Returns the position up to which the kernel has written. All records before it may be read. */
uint64_t ring_head(const struct ring *r);

/* Returns the position where reading continues: that of the last ring_release(), 0 at first. */
uint64_t ring_tail(const struct ring *r);

/*
 * Returns the record at *pos, and moves *pos past it. Padding records are skipped. Returns NULL
 * when *pos reaches head.
 *
 * A record is contiguous and aligned to 8. It stays valid until it is released. An impossible
 * size ends the reading: *pos becomes head, since the start of the next record is not known.
 */
const struct pprof_record *ring_next(const struct ring *r, uint64_t *pos, uint64_t head);

/*
 * Gives the bytes of all records before pos back to the kernel, which may overwrite them at once.
 */
void ring_release(struct ring *r, uint64_t pos);

/* The part of a ring that one drain reads: from pos to where head was when the drain began. */
struct ring_reading {
	uint64_t pos;
	uint64_t head;
};

#endif /* COLLECTOR_RING_H */
