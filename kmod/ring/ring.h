/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The producer's half of one CPU's ring, on memory that it is given. The
 * format and the barriers A to D are in uapi/pprof.h.
 *
 * There is one producer at a time: every function here runs with interrupts
 * off on the CPU of the ring (or under the lock of a ring that CPUs share),
 * and nothing produces from an NMI. That is why no atomic is needed.
 */
#ifndef PPROF_RING_H
#define PPROF_RING_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "uapi/pprof.h"

struct pprof_ring {
	struct pprof_ring_head *head_page;	/* user space reads it */
	struct pprof_ring_tail *tail_page;	/* user space writes it: hostile */
	u8 *data;
	u64 head;	/* ours: the published one is a copy */
	u64 urgent;	/* a reader is due until its tail is here */
	u32 bytes;	/* of data, a power of two */
	u32 watermark;
	u32 pad;	/* bytes before the reserved record */
};

/*
 * Takes over @data of @bytes (a power of two) and both pages, which are zeroed
 * and outlive the ring. A reader is due after @watermark bytes; 0: half.
 */
void pprof_ring_init(struct pprof_ring *ring, struct pprof_ring_head *head,
		     struct pprof_ring_tail *tail, void *data, u32 bytes, u32 watermark);

/*
 * Room for a record of up to @bytes, contiguous and 8-aligned; NULL if there
 * is none. It is nobody's until pprof_ring_commit().
 */
void *pprof_ring_reserve(struct pprof_ring *ring, u32 bytes);

/*
 * Hands the reserved record over, cut to its own size field. True if the ring is
 * filled to its watermark by this, so that the reader should be woken.
 */
bool pprof_ring_commit(struct pprof_ring *ring, struct pprof_record *record);

/* Counts @n of PPROF_SOURCE_* or PPROF_CLASS_* as produced. */
static inline void pprof_ring_produced(struct pprof_ring *ring, u32 class, u64 n)
{
	ring->head_page->produced[class] += n;
}

/* Counts @n, already counted as produced, as lost for PPROF_LOST_*. */
static inline void pprof_ring_lost(struct pprof_ring *ring, u32 class, u32 reason, u64 n)
{
	ring->head_page->lost[class][reason] += n;
}

/* Counts @n as handed over with a stack that ended for PPROF_END_*. */
static inline void pprof_ring_ended(struct pprof_ring *ring, u32 class, u32 end, u64 n)
{
	ring->head_page->ended[class][end] += n;
}

/* Counts a trap of the source heap. */
static inline void pprof_ring_trapped(struct pprof_ring *ring)
{
	ring->head_page->heap_traps++;
}

/* The time between ticks of the source cpu; before it starts on any CPU. */
static inline void pprof_ring_set_period(struct pprof_ring *ring, u64 period_ns)
{
	WRITE_ONCE(ring->head_page->period_ns, period_ns);
}

/* The same of the source wall. */
static inline void pprof_ring_set_wall_period(struct pprof_ring *ring, u64 period_ns)
{
	WRITE_ONCE(ring->head_page->wall_period_ns, period_ns);
}

/* From when to when wall has ticks; 0: not known yet. In any context, by one at a time. */
static inline void pprof_ring_set_wall_span(struct pprof_ring *ring, u64 begin_ns, u64 end_ns)
{
	WRITE_ONCE(ring->head_page->wall_begin_ns, begin_ns);
	WRITE_ONCE(ring->head_page->wall_end_ns, end_ns);
}

/*
 * The reader is due for all that was committed, however little. Waking it is
 * the caller's.
 */
void pprof_ring_hurry(struct pprof_ring *ring);

/* Bytes that the reader has not taken, as far as the tail can be believed. */
u64 pprof_ring_pending(const struct pprof_ring *ring);

/* Is it filled to its watermark, or was a record urgent? Both may be asked anywhere, any time. */
bool pprof_ring_is_due(const struct pprof_ring *ring);

#endif
