// SPDX-License-Identifier: GPL-2.0
#include "ring/ring_pages.h"

#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "base/compat.h"

enum { TAIL_PAGE, HEAD_PAGE, DATA_PAGE };

/* The OOM killer must not end a process for a ring: fail instead. */
#define PAGE_GFP (GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/*
 * Single pages and vmap(). vmalloc_user() is rejected: it cannot charge the memory cgroup, and
 * every user may open sessions. Each page may take long if memory is low. A process that is being
 * killed does not wait for all of them, and does not see the result.
 */
static int alloc_pages_of(struct pprof_ring_pages *mem, int node)
{
	mem->pages = kvcalloc(mem->nr_pages, sizeof(*mem->pages),
			      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mem->pages)
		return -ENOMEM;
	for (u32 i = 0; i < mem->nr_pages; i++) {
		mem->pages[i] = alloc_pages_node(node, PAGE_GFP, 0);
		if (!mem->pages[i] || fatal_signal_pending(current))
			return -ENOMEM;
	}
	return 0;
}

int pprof_ring_pages_init(struct pprof_ring_pages *mem, int cpu, u32 bytes, u32 watermark)
{
	*mem = (struct pprof_ring_pages) { .nr_pages = DATA_PAGE + bytes / PAGE_SIZE };
	if (alloc_pages_of(mem, cpu_to_node(cpu)))
		goto fail;
	mem->area = vmap(mem->pages, mem->nr_pages, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	if (!mem->area)
		goto fail;
	pprof_ring_init(&mem->ring, mem->area + HEAD_PAGE * PAGE_SIZE,
			mem->area + TAIL_PAGE * PAGE_SIZE, mem->area + DATA_PAGE * PAGE_SIZE,
			bytes, watermark);
	return 0;
fail:
	pprof_ring_pages_fini(mem);
	return -ENOMEM;
}

void pprof_ring_pages_fini(struct pprof_ring_pages *mem)
{
	if (!mem->pages)
		return;
	vunmap(mem->area);
	for (u32 i = 0; i < mem->nr_pages && mem->pages[i]; i++)
		__free_page(mem->pages[i]);
	kvfree(mem->pages);
	mem->pages = NULL;
}

/* VM_DONTCOPY: a child of the reader does not get the rings. */
static int map_pages(struct pprof_ring_pages *mem, struct vm_area_struct *vma, u32 first, u32 nr)
{
	if (vma->vm_end - vma->vm_start != (unsigned long)nr * PAGE_SIZE)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTDUMP | VM_DONTEXPAND, VM_MAYEXEC);
	return remap_vmalloc_range(vma, mem->area, first);
}

int pprof_ring_pages_mmap_tail(struct pprof_ring_pages *mem, struct vm_area_struct *vma)
{
	return map_pages(mem, vma, TAIL_PAGE, 1);
}

int pprof_ring_pages_mmap_data(struct pprof_ring_pages *mem, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return map_pages(mem, vma, HEAD_PAGE, mem->nr_pages - HEAD_PAGE);
}
