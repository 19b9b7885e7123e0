/* SPDX-License-Identifier: GPL-2.0 */
/* Does sampling take too much of a CPU? */
#ifndef PPROF_OVERLOAD_H
#define PPROF_OVERLOAD_H

#include <linux/types.h>

#define PPROF_OVERLOAD_TICKS	128

/* Of one CPU; zeroed at first. */
struct pprof_overload {
	u64 last;	/* when the tick before began */
	u32 nr_ticks;
	u32 nr_dear;
};

/*
 * Notes a tick of @begin to @end, in any unit. True if the rate should be halved:
 * of each PPROF_OVERLOAD_TICKS most took more than @percent of the time since the
 * tick before. Not their mean: a hypervisor that takes the CPU away in the middle
 * of a few makes those as long as it likes. Interrupts are off.
 */
static inline bool pprof_overload_note(struct pprof_overload *overload, u64 begin, u64 end,
				       u32 percent)
{
	u64 since = begin - overload->last;
	bool dear;

	overload->last = begin;
	overload->nr_dear += (end - begin) * 100 > since * percent;
	if (++overload->nr_ticks < PPROF_OVERLOAD_TICKS)
		return false;
	dear = overload->nr_dear > PPROF_OVERLOAD_TICKS / 2;
	overload->nr_ticks = 0;
	overload->nr_dear = 0;
	return dear;
}

#endif
