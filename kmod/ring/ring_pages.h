/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a ring, and its mappings in the reader's address space. */
#ifndef PPROF_RING_PAGES_H
#define PPROF_RING_PAGES_H

#include <linux/cache.h>
#include <linux/mm_types.h>

#include "ring/ring.h"

/*
 * A session has an array of these, one for each CPU. Each CPU writes its own ring with every
 * record, so neighbours share no cache line.
 */
struct pprof_ring_pages {
	struct pprof_ring ring ____cacheline_aligned_in_smp;
	struct page **pages;
	void *area;	/* tail page, head page, data */
	u32 nr_pages;
};

#define PPROF_RING_EXTRA_BYTES	(2 * PAGE_SIZE)	/* the pages beside the data */

/*
 * Allocates a zeroed ring of @bytes near @cpu. @watermark is in bytes: see pprof_ring_init(). The
 * caller's memory cgroup is charged.
 * Returns: 0, or -ENOMEM: nothing stays allocated.
 * Sleeps.
 */
int pprof_ring_pages_init(struct pprof_ring_pages *mem, int cpu, u32 bytes, u32 watermark);

/*
 * Frees the ring. A zeroed or freed one is left alone. No producer may run any more. No mapping is
 * left: each holds a reference to the session's file.
 * Sleeps.
 */
void pprof_ring_pages_fini(struct pprof_ring_pages *mem);

/*
 * Map the tail page (writable), or the head page and the data (never writable), as a whole.
 * Returns: 0, -EINVAL: another length, or -EPERM: other rights, or not shared.
 * Context: the mmap lock is held.
 */
int pprof_ring_pages_mmap_tail(struct pprof_ring_pages *mem, struct vm_area_struct *vma);
int pprof_ring_pages_mmap_data(struct pprof_ring_pages *mem, struct vm_area_struct *vma);

#endif
