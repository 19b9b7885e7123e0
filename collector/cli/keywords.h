/* SPDX-License-Identifier: GPL-2.0 */
/* Words that options accept, and the bits for them. */
#ifndef COLLECTOR_WORDS_H
#define COLLECTOR_WORDS_H

#include <stddef.h>

struct word {
	const char *name;	/* NULL at the end of the list */
	unsigned int bit;
};

/*
 * The profile types, bit n: type n, see pprof/sample_type.h. "all" leaves out those that cost
 * most.
 */
extern const struct word words_kinds[];

/* Returns the bit of a word of len bytes, or 0 if it is not in the list. */
unsigned int words_bit(const struct word *list, const char *word, size_t len);

#endif /* COLLECTOR_WORDS_H */
