// SPDX-License-Identifier: GPL-2.0
#include "pprof/value_unit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define NR_UNITS	(sizeof(units) / sizeof(*units))

/* Units of a quantity are together, the smallest one first. */
static const struct value_unit units[] = {
	{ "b", "B", VALUE_MEMORY, 1 },
	{ "byte", "B", VALUE_MEMORY, 1 },
	{ "kb", "kB", VALUE_MEMORY, 0x1p10 },
	{ "kbyte", "kB", VALUE_MEMORY, 0x1p10 },
	{ "kilobyte", "kB", VALUE_MEMORY, 0x1p10 },
	{ "mb", "MB", VALUE_MEMORY, 0x1p20 },
	{ "mbyte", "MB", VALUE_MEMORY, 0x1p20 },
	{ "megabyte", "MB", VALUE_MEMORY, 0x1p20 },
	{ "gb", "GB", VALUE_MEMORY, 0x1p30 },
	{ "gbyte", "GB", VALUE_MEMORY, 0x1p30 },
	{ "gigabyte", "GB", VALUE_MEMORY, 0x1p30 },
	{ "tb", "TB", VALUE_MEMORY, 0x1p40 },
	{ "tbyte", "TB", VALUE_MEMORY, 0x1p40 },
	{ "terabyte", "TB", VALUE_MEMORY, 0x1p40 },
	{ "pb", "PB", VALUE_MEMORY, 0x1p50 },
	{ "pbyte", "PB", VALUE_MEMORY, 0x1p50 },
	{ "petabyte", "PB", VALUE_MEMORY, 0x1p50 },
	{ "ns", "ns", VALUE_TIME, 1 },
	{ "nanosecond", "ns", VALUE_TIME, 1 },
	{ "us", "us", VALUE_TIME, 1e3 },
	{ "\xce\xbcs", "us", VALUE_TIME, 1e3 },
	{ "microsecond", "us", VALUE_TIME, 1e3 },
	{ "ms", "ms", VALUE_TIME, 1e6 },
	{ "millisecond", "ms", VALUE_TIME, 1e6 },
	{ "s", "s", VALUE_TIME, 1e9 },
	{ "sec", "s", VALUE_TIME, 1e9 },
	{ "second", "s", VALUE_TIME, 1e9 },
	{ "hr", "hrs", VALUE_TIME, 3600e9 },
	{ "hour", "hrs", VALUE_TIME, 3600e9 },
	{ "nanogcu", "n*GCU", VALUE_COMPUTE_UNITS, 0.000000001 },
	{ "microgcu", "u*GCU", VALUE_COMPUTE_UNITS, 0.000001 },
	{ "milligcu", "m*GCU", VALUE_COMPUTE_UNITS, 0.001 },
	{ "gcu", "GCU", VALUE_COMPUTE_UNITS, 1 },
	{ "kilogcu", "k*GCU", VALUE_COMPUTE_UNITS, 1e3 },
	{ "megagcu", "M*GCU", VALUE_COMPUTE_UNITS, 1e6 },
	{ "gigagcu", "G*GCU", VALUE_COMPUTE_UNITS, 1e9 },
	{ "teragcu", "T*GCU", VALUE_COMPUTE_UNITS, 1e12 },
	{ "petagcu", "P*GCU", VALUE_COMPUTE_UNITS, 1e15 },
};

/* The Greek letter of microseconds is two bytes of UTF-8. */
static size_t nr_letters(const char *s)
{
	size_t nr = 0;

	for (; *s; s++)
		nr += (*s & 0xC0) != 0x80;
	return nr;
}

const struct value_unit *value_unit_find(const char *name)
{
	size_t len = strlen(name);

	if (len > 2 && strchr("sS", name[len - 1]) && nr_letters(name) > 2)
		len--;
	for (size_t i = 0; i < NR_UNITS; i++)
		if (strlen(units[i].name) == len && !strncasecmp(units[i].name, name, len))
			return &units[i];
	return NULL;
}

const struct value_unit *value_unit_default(enum value_quantity quantity)
{
	static const char * const names[] = {
		[VALUE_MEMORY] = "b", [VALUE_TIME] = "s", [VALUE_COMPUTE_UNITS] = "gcu",
	};

	return value_unit_find(names[quantity]);
}

const struct value_unit *value_unit_for(enum value_quantity quantity, double value)
{
	const struct value_unit *best = NULL;

	for (size_t i = 0; i < NR_UNITS; i++)
		if (units[i].quantity == quantity && value / units[i].factor >= 1)
			best = &units[i];
	return best ? best : value_unit_default(quantity);
}

double value_unit_ratio(const char *from, const char *to)
{
	const struct value_unit *a, *b;

	if (!strcmp(from, to))
		return 1;
	a = value_unit_find(from);
	b = value_unit_find(to);
	return a && b && a->quantity == b->quantity ? a->factor / b->factor : 0;
}

int64_t value_unit_scale(int64_t value, double ratio)
{
	double scaled;

	if (ratio == 1)
		return value;	/* a double has 53 bits only */
	scaled = round((double)value * ratio);
	if (scaled >= 0x1p63)
		return INT64_MAX;
	return scaled < -0x1p63 ? INT64_MIN : (int64_t)scaled;
}
