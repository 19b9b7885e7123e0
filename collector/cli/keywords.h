/* SPDX-License-Identifier: GPL-2.0 */
/* Words that options accept, and the bits for them. */
#ifndef COLLECTOR_KEYWORDS_H
#define COLLECTOR_KEYWORDS_H

#include <stddef.h>

struct keyword {
	const char *name;	/* NULL at the end of the list */
	unsigned int bit;
};

/*
 * The profile types, bit n: type n, see pprof/sample_type.h. "all" leaves out those that cost
 * most.
 */
extern const struct keyword keywords_types[];

/* Returns the bit of a word of len bytes, or 0 if it is not in the list. */
unsigned int keywords_bit(const struct keyword *list, const char *keyword, size_t len);

#endif /* COLLECTOR_KEYWORDS_H */
