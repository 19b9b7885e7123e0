/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic on the values of samples. A file may hold any 64-bit numbers: sums wrap around, as in
 * Go. In C a signed overflow is undefined, and INT64_MIN / -1 is a trap.
 */
#ifndef COLLECTOR_ANALYSIS_WRAP_H
#define COLLECTOR_ANALYSIS_WRAP_H

#include <stdint.h>

static inline int64_t wrap_add(int64_t a, int64_t b)
{
	return (uint64_t)a + (uint64_t)b;
}

static inline int64_t wrap_multiply(int64_t a, int64_t b)
{
	return (uint64_t)a * (uint64_t)b;
}

/* The absolute value. That of INT64_MIN is INT64_MIN. */
static inline int64_t wrap_abs(int64_t a)
{
	return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

/* a / divisor; a if the divisor is 0. */
static inline int64_t wrap_mean(int64_t a, int64_t divisor)
{
	if (divisor == -1)
		return 0 - (uint64_t)a;
	return divisor ? a / divisor : a;
}

/* Cuts the decimals off. A number beyond 64 bits becomes INT64_MIN, as on an x86-64 CPU. */
static inline int64_t wrap_from_double(double number)
{
	return number >= -0x1p63 && number < 0x1p63 ? (int64_t)number : INT64_MIN;
}

#endif /* COLLECTOR_ANALYSIS_WRAP_H */
