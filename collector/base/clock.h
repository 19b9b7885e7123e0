/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_CLOCK_H
#define COLLECTOR_CLOCK_H

#include <stdint.h>
#include <time.h>

/* What a CLOCK_* shows, in ns. The clock is one that there is. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

#endif /* COLLECTOR_CLOCK_H */
