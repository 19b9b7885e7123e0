// SPDX-License-Identifier: GPL-2.0
#include "cli/keywords.h"

#include <string.h>

#include "aggregate/profile_types.h"

/* Without heap and allocs: they make programs that allocate several times slower. */
#define ALL_TYPES                                                                             \
	(1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_WALL | 1U << PROFILE_TYPE_THREADCREATE | \
	 1U << PROFILE_TYPE_BLOCK | 1U << PROFILE_TYPE_MUTEX | 1U << PROFILE_TYPE_GROWTH |    \
	 1U << PROFILE_TYPE_THREAD)

const struct keyword keywords_types[] = {
	{ "cpu", 1U << PROFILE_TYPE_CPU },
	{ "wall", 1U << PROFILE_TYPE_WALL },
	{ "threadcreate", 1U << PROFILE_TYPE_THREADCREATE },
	{ "thread", 1U << PROFILE_TYPE_THREAD },
	{ "block", 1U << PROFILE_TYPE_BLOCK },
	{ "mutex", 1U << PROFILE_TYPE_MUTEX },
	{ "growth", 1U << PROFILE_TYPE_GROWTH },
	{ "heap", 1U << PROFILE_TYPE_HEAP },
	{ "allocs", 1U << PROFILE_TYPE_ALLOCS },
	{ "all", ALL_TYPES },
	{ 0 },
};

unsigned int keywords_bit(const struct keyword *list, const char *keyword, size_t len)
{
	for (; list->name; list++)
		if (strlen(list->name) == len && !memcmp(list->name, keyword, len))
			return list->bit;
	return 0;
}
