/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of many amounts are sampled: their sum falls into strata of one period,
 * with one point at random in each, and an amount is sampled once for each point
 * that it covers. So each unit is as likely as any other, and points times period
 * is the sum, but for the stratum that is not full yet.
 */
#ifndef PPROF_STRATA_H
#define PPROF_STRATA_H

#include "base/prng.h"

/* Of one CPU: written there only, with interrupts off. */
struct pprof_strata {
	u32 at;		/* how much of the stratum is used up; below the period */
	u32 point;	/* of the stratum: likewise */
	u32 random;
};

static inline void pprof_strata_begin(struct pprof_strata *strata, u32 period, u32 at)
{
	strata->at = at;
	strata->point = ((u64)pprof_random(&strata->random) * period) >> 32;
}

/* @seed is anything; @period, here and below, is not 0 and stays the same. */
static inline void pprof_strata_init(struct pprof_strata *strata, u32 period, u32 seed)
{
	strata->random = seed | 1;
	pprof_strata_begin(strata, period, 0);
}

/* The number of points in the next @amount. */
static inline u64 pprof_strata_take(struct pprof_strata *strata, u32 period, u64 amount)
{
	u64 end = strata->at + amount;
	u64 nr = strata->point >= strata->at;

	if (end < period) {
		strata->at = end;
		return nr && strata->point < end;
	}
	nr += end / period - 1;
	pprof_strata_begin(strata, period, end % period);
	return nr + (strata->point < strata->at);
}

#endif
