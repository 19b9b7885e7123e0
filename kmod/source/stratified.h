/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stratified sampling of amounts. One amount follows the other on a line, which is divided into
 * strata of one period, each with one random point. An amount is sampled once for each point that
 * it covers. So each unit has the same probability. The number of points times the period is the
 * sum of all amounts, but for the last stratum: it is not full yet.
 */
#ifndef PPROF_STRATIFIED_H
#define PPROF_STRATIFIED_H

#include "base/prng.h"

/* State of one CPU. Only that CPU writes it, with interrupts off. */
struct pprof_stratified {
	u32 at;		/* how much of the stratum is used up; below the period */
	u32 point;	/* position of the point in the stratum; below the period */
	u32 random;
};

/* Begins a stratum, of which @at is used up. */
static inline void pprof_stratified_begin(struct pprof_stratified *strata, u32 period, u32 at)
{
	strata->at = at;
	strata->point = ((u64)pprof_random(&strata->random) * period) >> 32;
}

/* @seed may be any number. @period is not 0, and is the same in all calls. */
static inline void pprof_stratified_init(struct pprof_stratified *strata, u32 period, u32 seed)
{
	strata->random = seed | 1;
	pprof_stratified_begin(strata, period, 0);
}

/*
 * Returns the number of points in the next @amount, which has the unit of @period.
 * Context: interrupts off, on the CPU of @strata.
 */
static inline u64 pprof_stratified_take(struct pprof_stratified *strata, u32 period, u64 amount)
{
	u64 end = strata->at + amount;
	u64 nr = strata->point >= strata->at;

	if (end < period) {
		strata->at = end;
		return nr && strata->point < end;
	}
	nr += end / period - 1;
	pprof_stratified_begin(strata, period, end % period);
	return nr + (strata->point < strata->at);
}

#endif
