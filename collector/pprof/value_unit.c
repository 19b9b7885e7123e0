// SPDX-License-Identifier: GPL-2.0
#include "pprof/value_unit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum quantity { MEMORY, TIME, COMPUTE_UNITS };

struct unit {
	const char *name;	/* singular */
	enum quantity quantity;
	double factor;
};

static const struct unit units[] = {
	{ "b", MEMORY, 1 },		       { "byte", MEMORY, 1 },
	{ "kb", MEMORY, 0x1p10 },	       { "kbyte", MEMORY, 0x1p10 },
	{ "kilobyte", MEMORY, 0x1p10 },	       { "mb", MEMORY, 0x1p20 },
	{ "mbyte", MEMORY, 0x1p20 },	       { "megabyte", MEMORY, 0x1p20 },
	{ "gb", MEMORY, 0x1p30 },	       { "gbyte", MEMORY, 0x1p30 },
	{ "gigabyte", MEMORY, 0x1p30 },	       { "tb", MEMORY, 0x1p40 },
	{ "tbyte", MEMORY, 0x1p40 },	       { "terabyte", MEMORY, 0x1p40 },
	{ "pb", MEMORY, 0x1p50 },	       { "pbyte", MEMORY, 0x1p50 },
	{ "petabyte", MEMORY, 0x1p50 },	       { "ns", TIME, 1 },
	{ "nanosecond", TIME, 1 },	       { "us", TIME, 1e3 },
	{ "\xce\xbcs", TIME, 1e3 },	       { "microsecond", TIME, 1e3 },
	{ "ms", TIME, 1e6 },		       { "millisecond", TIME, 1e6 },
	{ "s", TIME, 1e9 },		       { "sec", TIME, 1e9 },
	{ "second", TIME, 1e9 },	       { "hr", TIME, 3600e9 },
	{ "hour", TIME, 3600e9 },	       { "nanogcu", COMPUTE_UNITS, 0.000000001 },
	{ "microgcu", COMPUTE_UNITS, 0.000001 },   { "milligcu", COMPUTE_UNITS, 0.001 },
	{ "gcu", COMPUTE_UNITS, 1 },	       { "kilogcu", COMPUTE_UNITS, 1e3 },
	{ "megagcu", COMPUTE_UNITS, 1e6 },     { "gigagcu", COMPUTE_UNITS, 1e9 },
	{ "teragcu", COMPUTE_UNITS, 1e12 },    { "petagcu", COMPUTE_UNITS, 1e15 },
};

/* A name of more than two letters may be in the plural: "ms" and "us" are none. */
static const struct unit *find(const char *name)
{
	size_t len = strlen(name);

	if (len > 2 && strchr("sS", name[len - 1]))
		len--;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == len && !strncasecmp(units[i].name, name, len))
			return &units[i];
	return NULL;
}

double value_unit_ratio(const char *from, const char *to)
{
	const struct unit *a, *b;

	if (!strcmp(from, to))
		return 1;
	a = find(from);
	b = find(to);
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
