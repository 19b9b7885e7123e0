// SPDX-License-Identifier: GPL-2.0
#include "memory.h"

#include <string.h>
#include <sys/uio.h>

#define PAGE_BYTES	4096
#define NR_PAGES	64

/*
 * A cache: between two instructions the same few pages are read many times, those of the code and
 * of the stack.
 */
static struct {
	uint64_t at;		/* the address, in pages */
	uint64_t selection;	/* the page is valid if this is the current one */
	size_t size;		/* 0: the page cannot be read */
	uint8_t bytes[PAGE_BYTES];
} pages[NR_PAGES];

static int selected_pid;
static uint64_t selection;	/* counts memory_select() */

void memory_select(int pid)
{
	selected_pid = pid;
	selection++;
}

static size_t read_in_page(uint64_t at, void *to, size_t size)
{
	uint64_t page = at / PAGE_BYTES, offset = at % PAGE_BYTES;
	size_t slot = page % NR_PAGES;

	if (pages[slot].selection != selection || pages[slot].at != page) {
		struct iovec mine = { pages[slot].bytes, PAGE_BYTES };
		struct iovec its = { (void *)(page * PAGE_BYTES), PAGE_BYTES };
		ssize_t got = process_vm_readv(selected_pid, &mine, 1, &its, 1, 0);

		pages[slot].selection = selection;
		pages[slot].at = page;
		pages[slot].size = got > 0 ? got : 0;
	}
	if (offset >= pages[slot].size)
		return 0;
	if (size > pages[slot].size - offset)
		size = pages[slot].size - offset;
	memcpy(to, pages[slot].bytes + offset, size);
	return size;
}

size_t memory_read(uint64_t at, void *to, size_t size)
{
	size_t nr = 0, more = 1;

	for (; nr < size && more; nr += more)
		more = read_in_page(at + nr, (uint8_t *)to + nr, size - nr);
	return nr;
}

bool memory_word(uint64_t at, uint64_t *to)
{
	return memory_read(at, to, sizeof(*to)) == sizeof(*to);
}
