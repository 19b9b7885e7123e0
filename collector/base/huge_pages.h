/* SPDX-License-Identifier: GPL-2.0 */
/* Pages of 2 MiB for large memory: fewer page faults, and fewer misses of the TLB. */
#ifndef COLLECTOR_HUGE_PAGES_H
#define COLLECTOR_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGES_MIN_BYTES	((size_t)4 << 20)
#define HUGE_PAGES_SMALL	4096	/* the size of other pages */
#define HUGE_PAGES_BYTES	((size_t)2 << 20)
#define HUGE_PAGES_MALLOC	32	/* malloc() adds at most this much to a large allocation */

/*
 * Returns about nr: the number of items of a size to allocate so that malloc() maps whole huge
 * pages. Linux 6.7 and later aligns such a mapping to huge pages, and so mremap() moves the pages
 * as they are. Elsewhere it has to split all of them into small pages. Small memory is left as it
 * is.
 */
static inline size_t huge_pages_fill(size_t nr, size_t size)
{
	size_t bytes = nr * size, last = HUGE_PAGES_BYTES - 1;

	if (bytes < HUGE_PAGES_MIN_BYTES)
		return nr;
	return (((bytes + last) & ~last) - HUGE_PAGES_MALLOC) / size;
}

/*
 * Asks the kernel for huge pages in memory from malloc(). Small memory is left as it is: half of a
 * huge page would be wasted. The pages at both ends are advised, too: all of the memory stays in
 * one VMA, so that realloc() can move it without a copy (mremap()).
 */
static inline void huge_pages_advise(void *memory, size_t bytes)
{
	uintptr_t page = (uintptr_t)memory & ~(uintptr_t)(HUGE_PAGES_SMALL - 1);

	if (bytes >= HUGE_PAGES_MIN_BYTES)
		madvise((void *)page, (uintptr_t)memory + bytes - page, MADV_HUGEPAGE);
}

#endif /* COLLECTOR_HUGE_PAGES_H */
