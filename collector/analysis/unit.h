/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values with their units, as reports of Go's pprof print them: "1.50MB", "10ms", "23.45%". Values
 * of units that pprof does not know are printed as they are, with the unit after them.
 */
#ifndef COLLECTOR_ANALYSIS_UNIT_H
#define COLLECTOR_ANALYSIS_UNIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A target for unit_scale(): the largest unit in which the value is at least 1. */
#define UNIT_AUTO		"auto"
/* The same for one value. A report chooses one unit for all of its values. */
#define UNIT_MINIMUM		"minimum"

/* Longer than each number: 2^63 petaGCU have 43 digits in nanoGCU. */
#define UNIT_NUMBER_BYTES	64

struct unit_value {
	double number;
	const char *unit;	/* borrowed; "" for units that are not printed, such as "count" */
};

/* The text of a value: the number and the unit, without a blank between them. */
struct unit_label {
	char number[UNIT_NUMBER_BYTES];
	const char *unit;	/* borrowed; "" if the number is 0 */
};

struct unit_percentage {
	char text[UNIT_NUMBER_BYTES];
};

/*
 * Converts a value from a unit to another one. Names are in upper or lower case, singular or
 * plural. The unit of the result is in pprof's own spelling ("kB"). If only the target is unknown,
 * the result is in B, s or GCU. If the source is unknown, the number stays, and the unit is to.
 */
struct unit_value unit_scale(int64_t value, const char *from, const char *to);

/* The text of a value after unit_scale(): at most two decimals. */
struct unit_label unit_label(int64_t value, const char *from, const char *to);

/* The number of characters of the label. */
size_t unit_label_width(const struct unit_label *label);

/* Prints the label to out, with blanks before it up to the width in characters. */
void unit_label_print(FILE *out, const struct unit_label *label, size_t width);

/*
 * The size of value relative to total in percent, without a sign, and with at least two digits. The
 * text has at least 6 characters: "  100%". A total of 0 gives 0 %.
 */
struct unit_percentage unit_percentage(int64_t value, int64_t total);

#endif /* COLLECTOR_ANALYSIS_UNIT_H */
