/* SPDX-License-Identifier: GPL-2.0 */
/* Units that measure the same: memory, time, or Google compute units. Names as in pprof. */
#ifndef COLLECTOR_VALUE_UNIT_H
#define COLLECTOR_VALUE_UNIT_H

#include <stdint.h>

/*
 * Returns how many of the unit to are one of the unit from: 1000 from "us" to "nanoseconds". Equal
 * names have the ratio 1. Returns 0 if the two do not measure the same.
 */
double value_unit_ratio(const char *from, const char *to);

/* Returns value * ratio, rounded half away from zero, and limited to what int64_t holds. */
int64_t value_unit_scale(int64_t value, double ratio);

#endif /* COLLECTOR_VALUE_UNIT_H */
