// SPDX-License-Identifier: GPL-2.0
/*
 * Positions count bytes from the start of the session and never wrap; the offset in the data is
 * the position modulo the size. The kernel writes at head, the reader reads at tail. Both live in
 * shared pages. sideband.c describes how a drain reads the rings of all CPUs.
 *
 * Each size is checked before it is used, so that damaged data cannot lead outside of the ring.
 */
#include "device/ring.h"

#include <stdbool.h>
#include <stddef.h>

uint64_t ring_head(const struct ring *r)
{
	/* Barrier C of uapi/pprof.h. */
	return __atomic_load_n(&r->head_page->head, __ATOMIC_ACQUIRE);
}

uint64_t ring_tail(const struct ring *r)
{
	return r->tail_page->tail;
}

void ring_release(struct ring *r, uint64_t pos)
{
	/* Barrier D of uapi/pprof.h. */
	__atomic_store_n(&r->tail_page->tail, pos, __ATOMIC_RELEASE);
}

/* A record is contiguous: it ends before the end of the data, and before head. */
static bool record_is_sane(const struct ring *r, const struct pprof_record *record, uint64_t pos,
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
