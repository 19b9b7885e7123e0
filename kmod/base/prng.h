/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that cost nothing, for who need only be in step with nobody. */
#ifndef PPROF_RANDOM_H
#define PPROF_RANDOM_H

#include <linux/types.h>

/* Marsaglia's xorshift32. @state belongs to the caller and is never 0, nor gets it. */
static inline u32 pprof_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#endif
