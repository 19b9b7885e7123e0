/* SPDX-License-Identifier: GPL-2.0 */
/* The pages of rings, and their way into the reader's address space. */
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
 * Allocates a zeroed ring near @cpu, charged to the caller's memory cgroup.
 * May sleep. -ENOMEM, and nothing is kept.
 */
int pprof_ringmem_init(struct pprof_ringmem *mem, int cpu, u32 bytes, u32 watermark);

/*
 * Frees it; a zeroed or finished one is left alone. Nobody may produce any
 * more; mappings hold the session's file, so none is left.
 */
void pprof_ringmem_fini(struct pprof_ringmem *mem);

/*
 * Maps the tail page (writable) or the head page and the data (never
 * writable) as a whole. -EINVAL for another size, -EPERM for other rights.
 */
int pprof_ringmem_mmap_tail(struct pprof_ringmem *mem, struct vm_area_struct *vma);
int pprof_ringmem_mmap_data(struct pprof_ringmem *mem, struct vm_area_struct *vma);

#endif
