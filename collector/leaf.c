// SPDX-License-Identifier: GPL-2.0
#include "leaf.h"

#include "threadstate.h"

bool leaf_is_return(const struct pprof_sample *sample)
{
	if (sample->source == PPROF_SOURCE_BLOCK || sample->source == PPROF_SOURCE_GROWTH)
		return sample->arg != PPROF_NO_SYSCALL;
	if (sample->source == PPROF_SOURCE_THREAD || sample->source == PPROF_SOURCE_WALL)
		return threadstate_in_syscall(sample->arg);
	/* That of an object without a number was taken as the function began. */
	if (sample->source == PPROF_SOURCE_HEAP)
		return sample->arg;
	return sample->source == PPROF_SOURCE_THREADCREATE ||
	       sample->source == PPROF_SOURCE_MUTEX || sample->source == PPROF_SOURCE_CUSTOM;
}
