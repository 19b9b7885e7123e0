/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that a process shares with the module: a word for each of its threads. */
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

/* Zeroed ones, charged to current's memory cgroup. May sleep. -ENOMEM. */
int pprof_words_init(struct pprof_words *words);

/* The mapping keeps its pages. Any context. */
void pprof_words_fini(struct pprof_words *words);

/*
 * Maps them into current's memory, once: a child has no such mapping. May sleep, and
 * takes the mmap lock. The errors of mmap(). They stay mapped until that memory goes:
 * it may be others', too (CLONE_VM), and hold the module and the pages when @words has
 * gone. They are counted as its own, and its cgroup's, as other mapped pages are.
 */
int pprof_words_map(struct pprof_words *words);

/* Each of the first threads has a cache line for its own. */
static inline u32 pprof_words_place(u32 word)
{
	const u32 in_line = L1_CACHE_BYTES / sizeof(u32), nr_lines = PPROF_NR_WORDS / in_line;

	return word % nr_lines * in_line + word / nr_lines;
}

/* Of a number below PPROF_NR_WORDS; here, and in the process. */
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
