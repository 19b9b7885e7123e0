// SPDX-License-Identifier: GPL-2.0
#include "device/class_name.h"

#include <stddef.h>

#include "pprof.h"

static const char *const names[PPROF_NR_CLASSES] = {
	[PPROF_SOURCE_CPU]		= "cpu",
	[PPROF_SOURCE_THREADCREATE]	= "threadcreate",
	[PPROF_SOURCE_WALL]		= "wall",
	[PPROF_SOURCE_BLOCK]		= "block",
	[PPROF_SOURCE_MUTEX]		= "mutex",
	[PPROF_SOURCE_HEAP]		= "heap",
	[PPROF_SOURCE_GROWTH]		= "growth",
	[PPROF_SOURCE_THREAD]		= "thread",
	[PPROF_SOURCE_CUSTOM]		= "custom",
	[PPROF_CLASS_FREE]		= "free",
	[PPROF_CLASS_EVENT]		= "event",
};

const char *class_name(uint32_t class)
{
	return class < PPROF_NR_CLASSES ? names[class] : NULL;
}
