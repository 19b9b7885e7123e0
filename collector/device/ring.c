// SPDX-License-Identifier: GPL-2.0
#include "device/ring.h"

#include <stddef.h>

uint64_t ring_head(const struct ring *r)
{
	return __atomic_load_n(&r->head_page->head, __ATOMIC_ACQUIRE);	/* C */
}

uint64_t ring_tail(const struct ring *r)
{
	return r->tail_page->tail;
}

void ring_release(struct ring *r, uint64_t pos)
{
	__atomic_store_n(&r->tail_page->tail, pos, __ATOMIC_RELEASE);	/* D */
}

static int record_is_sane(const struct ring *r, const struct pprof_record *record, uint64_t pos,
			  uint64_t head)
{
	uint64_t to_end = r->bytes - (pos & (r->bytes - 1));

	return record->size >= sizeof(*record) && !(record->size & 7) && record->size <= to_end &&
	       record->size <= head - pos;
}

const struct pprof_record *ring_next(const struct ring *r, uint64_t *pos, uint64_t head)
{
	const struct pprof_record *record;

	while (*pos != head) {
		record = (const struct pprof_record *)(r->data + (*pos & (r->bytes - 1)));
		if (!record_is_sane(r, record, *pos, head)) {
			*pos = head;
			return NULL;
		}
		*pos += record->size;
		if (record->type != PPROF_REC_PAD)
			return record;
	}
	return NULL;
}
