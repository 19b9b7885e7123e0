/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ticks that are the same for all CPUs and threads: time falls into strata of one
 * period, with one tick at a random moment of each, which is told by its number
 * alone. So whoever asks for the ticks of a span of time need not have been there,
 * and spans that follow each other have as many as both together.
 */
#ifndef PPROF_TICKS_H
#define PPROF_TICKS_H

#include <linux/types.h>

/* Constant; all times are of one clock. */
struct pprof_ticks {
	u64 start_ns;
	u64 period_ns;	/* below 2^32 */
	u32 seed;
};

/* Where in its stratum the tick of this number is: any context, as what follows. */
static inline u64 pprof_ticks_offset(const struct pprof_ticks *ticks, u64 number)
{
	u64 x = (number ^ ticks->seed) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
	return ((x >> 32) * ticks->period_ns) >> 32;
}

/* How many there are from the start until @now, which is not before it. */
static inline u64 pprof_ticks_until(const struct pprof_ticks *ticks, u64 now)
{
	u64 number = (now - ticks->start_ns) / ticks->period_ns;
	u64 at = (now - ticks->start_ns) % ticks->period_ns;

	return number + (at >= pprof_ticks_offset(ticks, number));
}

/* Those after @from, until @to; none if that is earlier. */
static inline u64 pprof_ticks_between(const struct pprof_ticks *ticks, u64 from, u64 to)
{
	return to > from ? pprof_ticks_until(ticks, to) - pprof_ticks_until(ticks, from) : 0;
}

/* When the first one after @now is. */
static inline u64 pprof_ticks_next(const struct pprof_ticks *ticks, u64 now)
{
	u64 number = pprof_ticks_until(ticks, now);

	return ticks->start_ns + number * ticks->period_ns + pprof_ticks_offset(ticks, number);
}

#endif
