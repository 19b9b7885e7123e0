/* SPDX-License-Identifier: GPL-2.0 */
/* Cheap random numbers. They only prevent lockstep with a program, and are not secret. */
#ifndef PPROF_PRNG_H
#define PPROF_PRNG_H

#include <linux/types.h>

/* Marsaglia's xorshift32. @state belongs to the caller. It must not be 0, and never becomes 0. */
static inline u32 pprof_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#endif
