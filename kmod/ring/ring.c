// SPDX-License-Identifier: GPL-2.0
#include "ring/ring.h"

#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <asm/barrier.h>

void pprof_ring_init(struct pprof_ring *ring, struct pprof_ring_head *head,
		     struct pprof_ring_tail *tail, void *data, u32 bytes, u32 watermark)
{
	*ring = (struct pprof_ring) {
		.head_page = head,
		.tail_page = tail,
		.data = data,
		.bytes = bytes,
		.watermark = watermark ? watermark : bytes / 2,
	};
	head->ring_bytes = bytes;
}

/* A tail that the reader cannot have reached (ahead, or too far behind) means a full ring. */
u64 pprof_ring_pending(const struct pprof_ring *ring)
{
	u64 tail = smp_load_acquire(&ring->tail_page->tail);	/* A */

	return min_t(u64, READ_ONCE(ring->head) - tail, ring->bytes);
}

/* A reader that writes a tail below urgent only keeps itself awake. */
bool pprof_ring_is_due(const struct pprof_ring *ring)
{
	u64 tail = READ_ONCE(ring->tail_page->tail);

	return pprof_ring_pending(ring) >= ring->watermark ||
	       (s64)(READ_ONCE(ring->urgent) - tail) > 0;
}

void *pprof_ring_reserve(struct pprof_ring *ring, u32 bytes)
{
	u32 at = ring->head & (ring->bytes - 1);
	u32 to_end = ring->bytes - at;
	struct pprof_record *pad;

	bytes = ALIGN(bytes, 8);
	ring->pad = bytes > to_end ? to_end : 0;
	if ((u64)ring->pad + bytes > ring->bytes - pprof_ring_pending(ring))
		return NULL;
	if (!ring->pad)
		return ring->data + at;
	pad = (struct pprof_record *)(ring->data + at);
	pad->type = PPROF_REC_PAD;
	pad->size = to_end;
	return ring->data;
}

/*
 * Reads the tail again: the reader may have taken all records since the reserve, and may sleep now.
 * After the reader has set its tail, poll() takes a lock before it reads the head. So either poll()
 * sees this record, or this code sees the new tail.
 */
bool pprof_ring_commit(struct pprof_ring *ring, struct pprof_record *record)
{
	u64 bytes, pending;

	record->size = ALIGN(record->size, 8);
	bytes = ring->pad + record->size;
	WRITE_ONCE(ring->head, ring->head + bytes);
	smp_store_release(&ring->head_page->head, ring->head);	/* B */
	smp_mb();
	pending = ring->head - smp_load_acquire(&ring->tail_page->tail);	/* A */
	/* At the watermark now, and below it before */
	return pending - ring->watermark < bytes;
}

void pprof_ring_set_urgent(struct pprof_ring *ring)
{
	WRITE_ONCE(ring->urgent, ring->head);
}
