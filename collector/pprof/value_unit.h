/* SPDX-License-Identifier: GPL-2.0 */
/* Units that measure the same: memory, time, or Google compute units. Names as in pprof. */
#ifndef COLLECTOR_VALUE_UNIT_H
#define COLLECTOR_VALUE_UNIT_H

#include <stdint.h>

enum value_quantity { VALUE_MEMORY, VALUE_TIME, VALUE_COMPUTE_UNITS };

struct value_unit {
	const char *name;	/* lower case, singular */
	const char *symbol;	/* as reports print it: "kB" */
	enum value_quantity quantity;
	double factor;		/* in bytes, nanoseconds, or compute units */
};

/*
 * Finds a unit by its name: in upper or lower case, and a name of more than two letters may be in
 * the plural. Returns: the unit, or NULL if it is none of those that pprof knows.
 */
const struct value_unit *value_unit_find(const char *name);

/* The unit of a quantity that reports use if they know no better one: B, s or GCU. */
const struct value_unit *value_unit_default(enum value_quantity quantity);

/*
 * The largest unit in which the value is at least 1. value is in the unit of factor 1. If there is
 * no such unit, it is value_unit_default().
 */
const struct value_unit *value_unit_for(enum value_quantity quantity, double value);

/*
 * Returns how many of the unit to are one of the unit from: 1000 from "us" to "nanoseconds". Equal
 * names have the ratio 1. Returns 0 if the two do not measure the same.
 */
double value_unit_ratio(const char *from, const char *to);

/* Returns value * ratio, rounded half away from zero, and limited to what int64_t holds. */
int64_t value_unit_scale(int64_t value, double ratio);

#endif /* COLLECTOR_VALUE_UNIT_H */
