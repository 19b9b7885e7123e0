/* SPDX-License-Identifier: GPL-2.0 */
/* The keywords that an option accepts, each with its bit. The keyword "all" has several bits. */
#ifndef COLLECTOR_KEYWORDS_H
#define COLLECTOR_KEYWORDS_H

#include <stddef.h>

struct keyword {
	const char *name;	/* NULL at the end of the list */
	unsigned int bit;
};

/* The profile types, bit n: PROFILE_TYPE_* n. "all" leaves out heap and allocs. */
extern const struct keyword keywords_types[];

/* Returns the bits of the keyword, which has len bytes, or 0 if it is not in the list. */
unsigned int keywords_bit(const struct keyword *list, const char *keyword, size_t len);

#endif /* COLLECTOR_KEYWORDS_H */
