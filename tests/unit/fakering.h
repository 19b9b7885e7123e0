/* SPDX-License-Identifier: GPL-2.0 */
/* A ring in memory, which a test fills as the kernel would. */
#ifndef TESTS_FAKERING_H
#define TESTS_FAKERING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "device/ring.h"

#define FAKERING_BYTES	(1U << 16)
#define FAKERING_ROOM	4096U	/* the largest record */

struct fakering {
	struct pprof_ring_head head;
	struct pprof_ring_tail tail;
	uint64_t data[FAKERING_BYTES / 8];
	struct ring ring;
};

static inline void fakering_init(struct fakering *f)
{
	f->ring = (struct ring){ &f->head, &f->tail, (void *)f->data, FAKERING_BYTES };
}

/* Returns the address of the next record, or NULL if the ring is full. */
static inline void *fakering_next(struct fakering *f)
{
	uint32_t to_end = FAKERING_BYTES - f->head.head % FAKERING_BYTES;
	struct pprof_record *pad = (void *)&f->data[f->head.head % FAKERING_BYTES / 8];

	if (f->head.head - f->tail.tail > FAKERING_BYTES - 2 * FAKERING_ROOM)
		return NULL;
	if (to_end >= FAKERING_ROOM)
		return pad;
	*pad = (struct pprof_record){ PPROF_REC_PAD, to_end };
	f->head.head += to_end;
	return f->data;
}

/* Publishes the record at that address. */
static inline void fakering_push(struct fakering *f)
{
	const struct pprof_record *record = (void *)&f->data[f->head.head % FAKERING_BYTES / 8];

	assert_int_equal(record->size % 8, 0);
	f->head.head += record->size;
}

#endif /* TESTS_FAKERING_H */
