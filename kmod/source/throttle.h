/* SPDX-License-Identifier: GPL-2.0 */
/* Detects that sampling takes too much of a CPU. */
#ifndef PPROF_THROTTLE_H
#define PPROF_THROTTLE_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "uapi/pprof.h"

#define PPROF_THROTTLE_TICK	250000ULL	/* in cycles: more than a tick takes */
#define PPROF_THROTTLE_BURST	(20 * PPROF_THROTTLE_TICK)	/* some ms */

/*
 * The state of one CPU, for all clocks there. Zeroed at first.
 * Context: interrupts off.
 */
struct pprof_throttle {
	u64 last;	/* end of the last tick */
	s64 over;	/* 100 times the cycles that ticks took beyond their share */
	u64 fastest_ns;	/* the shortest period of the clocks that had a tick since over was 0 */
};

/*
 * Notes a tick from @begin to @end, in cycles, of a clock of @period_ns.
 * Returns: true if ticks took more than @percent of the CPU, and PPROF_THROTTLE_BURST beyond that.
 * The state then begins anew. Time that ticks did not use is not saved up for later.
 *
 * A clock that is more than twice as slow as the fastest is never asked to halve its rate. A rate
 * that was halved does not rise again, but the clocks of other sessions come and go.
 *
 * The sum over all clocks counts, since each of many clocks may be cheap. A tick counts for at most
 * PPROF_THROTTLE_TICK, and so does the share of the time since the last tick: a hypervisor that
 * takes the CPU away can make both times as long as it likes. By the second bound, long pauses of a
 * target that comes and goes do not make up for expensive ticks.
 */
static inline bool pprof_throttle_note(struct pprof_throttle *overload, u64 begin, u64 end,
				       u32 percent, u64 period_ns)
{
	u64 took = end - begin, since = end - overload->last;
	const s64 burst = 100 * PPROF_THROTTLE_BURST;
	s64 over;

	overload->last = end;
	if (likely(!overload->over && took * 100 <= since * percent))
		return false;	/* the bound below cannot make it positive either */
	took = min(took, PPROF_THROTTLE_TICK);
	since = min(since, 100 * PPROF_THROTTLE_TICK);
	over = overload->over + (s64)(100 * took) -
	       (s64)min(since * percent, 100 * PPROF_THROTTLE_TICK);
	overload->fastest_ns = overload->over ? min(overload->fastest_ns, period_ns) : period_ns;
	overload->over = clamp(over, 0LL, burst);
	if (over < burst || period_ns / 2 > overload->fastest_ns)
		return false;
	overload->over = 0;
	return true;
}

#define PPROF_THROTTLE_HALVINGS	10

/* The rate of a clock on one CPU. */
struct pprof_throttle_rate {
	u64 period_ns;	/* the period of START << halvings */
	u32 halvings;	/* a tick counts as 1 << halvings periods */
};

/* Halves the rate. Returns: false if it is at its minimum. */
static inline bool pprof_throttle_halve(struct pprof_throttle_rate *rate)
{
	if (rate->halvings == PPROF_THROTTLE_HALVINGS || rate->period_ns > PPROF_MAX_PERIOD_NS / 2)
		return false;
	rate->halvings++;
	rate->period_ns *= 2;
	return true;
}

/*
 * Notes a tick of this CPU, of a clock of @period_ns. It began at @begin, in get_cycles(), and ends
 * now.
 * Returns: true if the clock should halve its rate. All clocks together take more than the module
 * parameter overload_percent. Clocks are halved in turn, the fastest most often.
 * Context: interrupts off.
 */
bool pprof_throttle_tick(u64 begin, u64 period_ns);

#endif
