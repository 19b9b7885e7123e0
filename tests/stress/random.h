/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers for the fuzzers. The state is one number: the same seed, the same numbers. */
#ifndef RANDOM_H
#define RANDOM_H

#include <limits.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Steele's splitmix64. */
static inline uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline uint64_t random_next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return mix(*state);
}

static inline uint64_t random_below(uint64_t *state, uint64_t below)
{
	return random_next(state) % below;
}

static inline int random_one_in(uint64_t *state, unsigned int n)
{
	return !random_below(state, n);
}

/* Returns a random number; most often one at a limit, where computations go wrong. */
static inline uint64_t random_odd(uint64_t *state)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 7, 8, 16, 255, 256, 4095, 4096, 4097, 65535, 1 << 20,
		INT_MAX, 1U << 31, UINT_MAX, 1ULL << 32, 1ULL << 47, INT64_MAX, 1ULL << 63, -1ULL,
		-8ULL, -4096ULL, 0xffff800000000000ULL,
	};

	return random_one_in(state, 4) ? random_next(state) :
					 numbers[random_below(state, ARRAY_SIZE(numbers))];
}

#endif
