/* SPDX-License-Identifier: GPL-2.0 */
/* Words that options take, and the bits that they stand for. */
#ifndef COLLECTOR_WORDS_H
#define COLLECTOR_WORDS_H

#include <stddef.h>

struct word {
	const char *name;	/* NULL: the end of the list */
	unsigned int bit;
};

/* The kinds of profile, bit n: the kind n, see pprof/sample_type.h; and all but the dear ones. */
extern const struct word words_kinds[];

/* Of len bytes; 0: it is not in the list. */
unsigned int words_bit(const struct word *list, const char *word, size_t len);

#endif /* COLLECTOR_WORDS_H */
