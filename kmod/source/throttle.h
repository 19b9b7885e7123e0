/* SPDX-License-Identifier: GPL-2.0 */
/* Does sampling take too much of a CPU? */
#ifndef PPROF_OVERLOAD_H
#define PPROF_OVERLOAD_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "uapi/pprof.h"

#define PPROF_OVERLOAD_TICK	250000ULL	/* cycles: more than any tick takes */
#define PPROF_OVERLOAD_BURST	(20 * PPROF_OVERLOAD_TICK)	/* some ms */

/* Of one CPU, and all clocks there; zeroed at first. Interrupts are off. */
struct pprof_overload {
	u64 last;	/* when the last tick ended */
	s64 over;	/* 100 times the cycles that ticks took beyond their share */
	u64 fastest_ns;	/* the shortest period of those that ticked since over was 0 */
};

/*
 * Notes a tick of @begin to @end, in cycles, of a clock of @period_ns. True if ticks
 * have taken more than @percent of the CPU, and PPROF_OVERLOAD_BURST beyond that: it
 * begins anew then. What was not taken is not saved up for later. One that is more
 * than twice as slow as the fastest is left alone: a rate that fell does not rise
 * again, and somebody else's clocks may come and go.
 *
 * It is their sum that counts, since each of many may be cheap. But neither a tick nor
 * the time since the last one counts for more than PPROF_OVERLOAD_TICK: a hypervisor
 * that takes the CPU away makes either as long as it likes. So where a target comes
 * and goes it is the share of what it runs that counts, and not of the pauses.
 */
static inline bool pprof_overload_note(struct pprof_overload *overload, u64 begin, u64 end,
				       u32 percent, u64 period_ns)
{
	u64 took = end - begin, since = end - overload->last;
	const s64 burst = 100 * PPROF_OVERLOAD_BURST;
	s64 over;

	overload->last = end;
	if (likely(!overload->over && took * 100 <= since * percent))
		return false;	/* nor would what is cut below be over 0 */
	took = min(took, PPROF_OVERLOAD_TICK);
	since = min(since, 100 * PPROF_OVERLOAD_TICK);
	over = overload->over + (s64)(100 * took) -
	       (s64)min(since * percent, 100 * PPROF_OVERLOAD_TICK);
	overload->fastest_ns = overload->over ? min(overload->fastest_ns, period_ns) : period_ns;
	overload->over = clamp(over, 0LL, burst);
	if (over < burst || period_ns / 2 > overload->fastest_ns)
		return false;
	overload->over = 0;
	return true;
}

#define PPROF_OVERLOAD_HALVINGS	10

/* Of a clock on one CPU. */
struct pprof_overload_rate {
	u64 period_ns;	/* what was asked for << halvings */
	u32 halvings;	/* a tick counts for 1 << halvings */
};

/* False: it is as low as may be. */
static inline bool pprof_overload_halve(struct pprof_overload_rate *rate)
{
	if (rate->halvings == PPROF_OVERLOAD_HALVINGS ||
	    rate->period_ns > PPROF_MAX_PERIOD_NS / 2)
		return false;
	rate->halvings++;
	rate->period_ns *= 2;
	return true;
}

/*
 * Notes a tick of this CPU, of a clock of @period_ns, that began at @begin, of
 * get_cycles(), and ends now. True if its clock should halve its rate: all together
 * take more than the parameter overload_percent, and clocks fall in turn, the fastest
 * most often. Interrupts are off.
 */
bool pprof_overload_tick(u64 begin, u64 period_ns);

#endif
