/* SPDX-License-Identifier: GPL-2.0 */
/* The label page: memory that a process shares with the module. Each thread has one word of it. */
#ifndef PPROF_WORDS_H
#define PPROF_WORDS_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/mm.h>

#include "uapi/pprof.h"

#define PPROF_NR_WORDS		PPROF_MAX_LABEL_THREADS
#define PPROF_WORDS_BYTES	(PPROF_NR_WORDS * sizeof(u32))
#define PPROF_WORDS_PAGES	(PPROF_WORDS_BYTES / PAGE_SIZE)

static_assert(PPROF_WORDS_BYTES % PAGE_SIZE == 0);

struct pprof_words {
	struct page *pages[PPROF_WORDS_PAGES];
	unsigned long address;	/* in the process, once it is mapped */
};

/*
 * Allocates zeroed pages, charged to current's memory cgroup.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_words_init(struct pprof_words *words);

/*
 * Puts the pages. A mapping keeps them.
 * Context: any.
 */
void pprof_words_fini(struct pprof_words *words);

/*
 * Maps the pages into current's memory. Call it once. A child of fork() does not inherit the
 * mapping.
 *
 * The mapping stays until that memory goes. Another process may share the memory (CLONE_VM). The
 * mapping holds the module and the pages when @words has gone. The pages count as the process's
 * own, and as its cgroup's, as other mapped pages do.
 * Locks: takes the mmap lock.
 * Returns: 0, or an error of mmap().
 * Sleeps.
 */
int pprof_words_map(struct pprof_words *words);

/* Returns the position of a word. The first threads get a cache line each. */
static inline u32 pprof_words_place(u32 word)
{
	const u32 in_line = L1_CACHE_BYTES / sizeof(u32), nr_lines = PPROF_NR_WORDS / in_line;

	return word % nr_lines * in_line + word / nr_lines;
}

/* Return the address of word @word, below PPROF_NR_WORDS: in the kernel, and in the process. */
static inline u32 *pprof_words_at(const struct pprof_words *words, u32 word)
{
	u32 place = pprof_words_place(word);
	const u32 in_page = PAGE_SIZE / sizeof(u32);

	return (u32 *)page_address(words->pages[place / in_page]) + place % in_page;
}

static inline unsigned long pprof_words_address(const struct pprof_words *words, u32 word)
{
	return words->address + pprof_words_place(word) * sizeof(u32);
}

#endif
