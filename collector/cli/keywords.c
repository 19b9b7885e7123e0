// SPDX-License-Identifier: GPL-2.0
#include "cli/keywords.h"

#include <string.h>

#include "pprof/sample_type.h"

/* Without heap and allocs: they make programs that allocate several times slower. */
#define ALL_TYPES                                                                             \
	(1U << PPROF_SOURCE_CPU | 1U << PPROF_SOURCE_WALL | 1U << PPROF_SOURCE_THREADCREATE | \
	 1U << PPROF_SOURCE_BLOCK | 1U << PPROF_SOURCE_MUTEX | 1U << PPROF_SOURCE_GROWTH |    \
	 1U << PPROF_SOURCE_THREAD)

const struct keyword keywords_types[] = {
	{ "cpu", 1U << PPROF_SOURCE_CPU },
	{ "wall", 1U << PPROF_SOURCE_WALL },
	{ "threadcreate", 1U << PPROF_SOURCE_THREADCREATE },
	{ "thread", 1U << PPROF_SOURCE_THREAD },
	{ "block", 1U << PPROF_SOURCE_BLOCK },
	{ "mutex", 1U << PPROF_SOURCE_MUTEX },
	{ "growth", 1U << PPROF_SOURCE_GROWTH },
	{ "heap", 1U << PPROF_SOURCE_HEAP },
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
