/* SPDX-License-Identifier: GPL-2.0 */
/* Clocks of the kernel: see clock_gettime(2). */
#ifndef COLLECTOR_CLOCK_H
#define COLLECTOR_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Returns the time of a clock (CLOCK_*) in ns. The clock must exist on this kernel: an error of
 * clock_gettime() is not checked.
 */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

#endif /* COLLECTOR_CLOCK_H */
