/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a ring, and its mappings in the reader's address space. */
#ifndef PPROF_RINGMEM_H
#define PPROF_RINGMEM_H

#include <linux/mm_types.h>

#include "ring/ring.h"

struct pprof_ringmem {
	struct pprof_ring ring;
	struct page **pages;
	void *area;	/* tail page, head page, data */
	u32 nr_pages;
};

/*
 * Allocates a zeroed ring of @bytes near @cpu. The caller's memory cgroup is charged.
 * Returns: 0, or -ENOMEM: nothing stays allocated.
 * Sleeps.
 */
int pprof_ringmem_init(struct pprof_ringmem *mem, int cpu, u32 bytes, u32 watermark);

/*
 * Frees the ring. A zeroed or freed one is left alone. No producer may run any more. No mapping is
 * left: each holds a reference to the session's file.
 * Sleeps.
 */
void pprof_ringmem_fini(struct pprof_ringmem *mem);

/*
 * Map the tail page (writable), or the head page and the data (never writable), as a whole.
 * Returns: 0, -EINVAL: another length, or -EPERM: other rights, or not shared.
 * Context: the mmap lock is held.
 */
int pprof_ringmem_mmap_tail(struct pprof_ringmem *mem, struct vm_area_struct *vma);
int pprof_ringmem_mmap_data(struct pprof_ringmem *mem, struct vm_area_struct *vma);

#endif
