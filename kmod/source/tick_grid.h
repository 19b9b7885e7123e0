/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ticks that are the same for all CPUs and threads. Time is divided into strata of one period, each
 * with one tick at a random moment. A tick's number alone determines its moment. So the ticks of a
 * span can be counted later, without a timer. Two spans that follow each other have as many ticks
 * as both together.
 */
#ifndef PPROF_TICK_GRID_H
#define PPROF_TICK_GRID_H

#include <linux/types.h>

/* Constant. All times are of one clock. */
struct pprof_tick_grid {
	u64 start_ns;
	u64 period_ns;	/* below 2^32 */
	u32 seed;
};

/*
 * Returns the offset of tick @number in its stratum, in ns.
 * Context of all functions here: any.
 */
static inline u64 pprof_tick_grid_offset(const struct pprof_tick_grid *ticks, u64 number)
{
	u64 x = (number ^ ticks->seed) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
	return ((x >> 32) * ticks->period_ns) >> 32;
}

/* Returns the number of ticks from the start to @now. @now is not before the start. */
static inline u64 pprof_tick_grid_until(const struct pprof_tick_grid *ticks, u64 now)
{
	u64 number = (now - ticks->start_ns) / ticks->period_ns;
	u64 at = (now - ticks->start_ns) % ticks->period_ns;

	return number + (at >= pprof_tick_grid_offset(ticks, number));
}

/* Returns the number of ticks after @from, up to @to; 0 if @to is earlier. */
static inline u64 pprof_tick_grid_between(const struct pprof_tick_grid *ticks, u64 from, u64 to)
{
	return to > from ? pprof_tick_grid_until(ticks, to) - pprof_tick_grid_until(ticks, from)
			 : 0;
}

/* Returns the moment of the first tick after @now. */
static inline u64 pprof_tick_grid_next(const struct pprof_tick_grid *ticks, u64 now)
{
	u64 number = pprof_tick_grid_until(ticks, now);

	return ticks->start_ns + number * ticks->period_ns + pprof_tick_grid_offset(ticks, number);
}

#endif
