// SPDX-License-Identifier: GPL-2.0
#include "ring/ring.h"

#include <linux/compiler.h>

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

/* A reader that writes a tail below urgent only keeps itself awake. */
bool pprof_ring_is_due(const struct pprof_ring *ring)
{
	u64 tail = READ_ONCE(ring->tail_page->tail);

	return pprof_ring_pending(ring) >= ring->watermark ||
	       (s64)(READ_ONCE(ring->urgent) - tail) > 0;
}

void *pprof_ring_reserve_behind_pad(struct pprof_ring *ring, u32 bytes, u32 pad_bytes, u64 room)
{
	struct pprof_record *pad = (struct pprof_record *)(ring->data + ring->bytes - pad_bytes);

	if ((u64)pad_bytes + bytes > room)
		return NULL;
	ring->pad = pad_bytes;
	pad->type = PPROF_REC_PAD;
	pad->size = pad_bytes;
	return ring->data;
}

void pprof_ring_set_urgent(struct pprof_ring *ring)
{
	WRITE_ONCE(ring->urgent, ring->head);
}
