/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The producer's half of one CPU's ring, on memory of the caller. uapi/pprof.h describes the format
 * and the barriers A to D.
 *
 * There is one producer at a time, so no function needs an atomic operation. Unless it says
 * otherwise, each function runs with interrupts off on the CPU of the ring. For a ring that CPUs
 * share the producer holds a lock. No code produces records in an NMI.
 */
#ifndef PPROF_RING_H
#define PPROF_RING_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include <asm/barrier.h>

#include "uapi/pprof.h"

struct pprof_ring {
	struct pprof_ring_head *head_page;	/* user space reads it */
	struct pprof_ring_tail *tail_page;	/* user space writes it: do not trust it */
	u8 *data;
	u64 head;	/* the kernel's own head; the one in head_page is a copy */
	u64 urgent;	/* the reader must wake up until its tail reaches this */
	u32 bytes;	/* of data, a power of two */
	u32 watermark;	/* in bytes */
	u32 pad;	/* bytes of padding before the reserved record */
};

/*
 * Initializes a ring on @data of @bytes (a power of two) and both pages. The caller owns this
 * memory, has zeroed the pages, and frees it after the ring. The reader must wake up when
 * @watermark bytes are in the ring; 0: half the ring.
 * Context: any, before the ring is used.
 */
void pprof_ring_init(struct pprof_ring *ring, struct pprof_ring_head *head,
		     struct pprof_ring_tail *tail, void *data, u32 bytes, u32 watermark);

/*
 * Returns the bytes that the reader has not taken. A tail that the reader cannot have reached
 * (ahead, or too far behind) counts as a full ring.
 * Context: any.
 */
static inline u64 pprof_ring_pending(const struct pprof_ring *ring)
{
	u64 tail = smp_load_acquire(&ring->tail_page->tail);	/* A */

	return min_t(u64, READ_ONCE(ring->head) - tail, ring->bytes);
}

/*
 * The rare case of pprof_ring_reserve(): @bytes, 8-aligned, do not fit behind the head. A record
 * does not wrap around, so padding fills the last @pad_bytes of the data. @room bytes are free.
 */
void *pprof_ring_reserve_behind_pad(struct pprof_ring *ring, u32 bytes, u32 pad_bytes, u64 room);

/*
 * Reserves room for a record of up to @bytes, contiguous and 8-aligned. The reader does not see it
 * before pprof_ring_commit(). Both are inline, which saves 13 instructions a sample.
 * Returns: the record, or NULL: no room.
 * Context: see the top of this file.
 */
static inline void *pprof_ring_reserve(struct pprof_ring *ring, u32 bytes)
{
	u32 size = ring->bytes, at = ring->head & (size - 1), to_end = size - at;
	u64 room = size - pprof_ring_pending(ring);

	bytes = ALIGN(bytes, 8);
	if (unlikely(bytes > to_end))
		return pprof_ring_reserve_behind_pad(ring, bytes, to_end, room);
	if (bytes > room)
		return NULL;
	ring->pad = 0;
	return ring->data + at;
}

/*
 * Commits the reserved record, with the size of its own size field. The size may be smaller than
 * reserved.
 *
 * Reads the tail again: the reader may have taken all records since the reserve, and may sleep now.
 * After the reader has set its tail, poll() takes a lock before it reads the head. So either poll()
 * sees this record, or this code sees the new tail.
 * Returns: true if the ring reaches its watermark by this record. The caller then wakes the reader.
 */
static inline bool pprof_ring_commit(struct pprof_ring *ring, struct pprof_record *record)
{
	u64 bytes, head, pending;

	record->size = ALIGN(record->size, 8);
	bytes = ring->pad + record->size;
	head = ring->head + bytes;
	WRITE_ONCE(ring->head, head);
	smp_store_release(&ring->head_page->head, head);	/* B */
	smp_mb();
	pending = head - smp_load_acquire(&ring->tail_page->tail);	/* A */
	/* At the watermark now, and below it before */
	return pending - ring->watermark < bytes;
}

/*
 * Counts @n as produced for @class, PPROF_SOURCE_* or PPROF_CLASS_*. @n is the weight of a sample,
 * or a number of other records.
 */
static inline void pprof_ring_produced(struct pprof_ring *ring, u32 class, u64 n)
{
	u64 *produced = &ring->head_page->produced[class];	/* the only check of the index */

	*produced += n;
}

/* Counts @n as lost, for the reason PPROF_LOST_*. The caller has counted it as produced. */
static inline void pprof_ring_lost(struct pprof_ring *ring, u32 class, u32 reason, u64 n)
{
	ring->head_page->lost[class][reason] += n;
}

/* Counts @n as sent with a stack that has the end reason PPROF_END_*. */
static inline void pprof_ring_ended(struct pprof_ring *ring, u32 class, u32 end, u64 n)
{
	u64 *ended = &ring->head_page->end_reasons[class][end];	/* the only check of the indices */

	*ended += n;
}

/* Counts a hit of a uprobe or a uretprobe of source HEAP. */
static inline void pprof_ring_trapped(struct pprof_ring *ring)
{
	ring->head_page->heap_traps++;
}

/*
 * Sets the time between ticks of source CPU.
 * Context: the CPU of the ring, interrupts off; or before the source starts.
 */
static inline void pprof_ring_set_period(struct pprof_ring *ring, u64 period_ns)
{
	WRITE_ONCE(ring->head_page->period_ns, period_ns);
}

/* Sets the time between ticks of source WALL. Context: as pprof_ring_set_period(). */
static inline void pprof_ring_set_wall_period(struct pprof_ring *ring, u64 period_ns)
{
	WRITE_ONCE(ring->head_page->wall_period_ns, period_ns);
}

/*
 * Sets the start and the end of the ticks of source WALL, on the clock of records; 0: not known
 * yet.
 * Context: any. The caller serializes calls.
 */
static inline void pprof_ring_set_wall_span(struct pprof_ring *ring, u64 begin_ns, u64 end_ns)
{
	WRITE_ONCE(ring->head_page->wall_begin_ns, begin_ns);
	WRITE_ONCE(ring->head_page->wall_end_ns, end_ns);
}

/*
 * Makes the reader due for all committed records, even below the watermark. The caller wakes the
 * reader.
 */
void pprof_ring_set_urgent(struct pprof_ring *ring);

/*
 * Is the ring filled to its watermark, or does it hold an urgent record?
 * Context: any.
 */
bool pprof_ring_is_due(const struct pprof_ring *ring);

#endif
