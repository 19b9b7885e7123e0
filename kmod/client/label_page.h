/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The label page: memory that a process shares with the module. Each thread with labels has a
 * slot in it: a u32 with the number of its label set, 0 for none. It is called a page, but it has
 * four pages of 4 KiB.
 */
#ifndef PPROF_LABEL_PAGE_H
#define PPROF_LABEL_PAGE_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/mm.h>

#include "uapi/pprof.h"

#define PPROF_NR_LABEL_SLOTS		PPROF_MAX_LABEL_THREADS
#define PPROF_LABEL_PAGE_BYTES	(PPROF_NR_LABEL_SLOTS * sizeof(u32))
#define PPROF_LABEL_PAGE_PAGES	(PPROF_LABEL_PAGE_BYTES / PAGE_SIZE)

static_assert(PPROF_LABEL_PAGE_BYTES % PAGE_SIZE == 0);

struct pprof_label_page {
	struct page *pages[PPROF_LABEL_PAGE_PAGES];
	unsigned long address;	/* in the process, once it is mapped */
};

/*
 * Allocates zeroed pages, charged to current's memory cgroup.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_label_page_init(struct pprof_label_page *page);

/*
 * Puts the pages. A mapping keeps them.
 * Context: any.
 */
void pprof_label_page_fini(struct pprof_label_page *page);

/*
 * Maps the pages into current's memory. Call it once. A child of fork() does not inherit the
 * mapping.
 *
 * The mapping stays until that memory goes. Another process may share the memory (CLONE_VM). So the
 * mapping may exist longer than @page. It holds references to the module and to the pages. The
 * pages count as memory of the process and of its cgroup, as other mapped pages do.
 * Locks: takes the mmap lock.
 * Returns: 0, or an error of mmap().
 * Sleeps.
 */
int pprof_label_page_map(struct pprof_label_page *page);

/* Returns the position of a slot. The first threads get a cache line each. */
static inline u32 pprof_label_page_index(u32 slot)
{
	const u32 in_line = L1_CACHE_BYTES / sizeof(u32), nr_lines = PPROF_NR_LABEL_SLOTS / in_line;

	return slot % nr_lines * in_line + slot / nr_lines;
}

/*
 * Return the address of slot @slot, below PPROF_NR_LABEL_SLOTS: in the kernel, and in the process.
 */
static inline u32 *pprof_label_page_at(const struct pprof_label_page *page, u32 slot)
{
	u32 index = pprof_label_page_index(slot);
	const u32 in_page = PAGE_SIZE / sizeof(u32);

	return (u32 *)page_address(page->pages[index / in_page]) + index % in_page;
}

static inline unsigned long pprof_label_page_address(const struct pprof_label_page *page, u32 slot)
{
	return page->address + pprof_label_page_index(slot) * sizeof(u32);
}

#endif
