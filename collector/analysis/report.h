/* SPDX-License-Identifier: GPL-2.0 */
/* The parts that all reports on a profile share: the values, their unit, and the head lines. */
#ifndef COLLECTOR_ANALYSIS_REPORT_H
#define COLLECTOR_ANALYSIS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/unit.h"

struct model;

struct report {
	const struct model *model;
	/* Index of the sample type. The model must have it. */
	uint32_t type;
	/* Each value is divided by that of the first type. */
	bool is_mean;
	/*
	 * The unit of printed values, UNIT_MINIMUM or UNIT_AUTO. UNIT_MINIMUM is usual: then top
	 * and tree choose a unit in which the smallest value is not 0.
	 */
	const char *unit;
	/* Printed values are multiplied by this, unless it is 0. Percentages stay the same. */
	double ratio;
	/* The value that is 100 %: see report_total(). */
	int64_t total;
	/* Texts such as "focus=main". They are printed in the head of top and tree. */
	const char * const *filters;
	size_t nr_filters;
};

/*
 * Returns the sum of the absolute values of a type; the mean if is_mean. If samples have
 * MERGE_BASE_LABEL with the value "true" (pprof/merge.h), only these count. Call it before the
 * model is filtered: percentages then refer to all samples.
 */
int64_t report_total(const struct model *m, uint32_t type, bool is_mean);

/* Returns a value times the ratio, without decimals, as it is printed. */
int64_t report_multiply(const struct report *r, int64_t value);

/* Returns the text of a value in the unit of the report, after report_multiply(). */
struct unit_label report_label(const struct report *r, int64_t value);

/* Prints the value, with blanks before it up to the width in characters. */
void report_print_value(FILE *out, const struct report *r, int64_t value, size_t width);

/* Prints a string of the model with all of its bytes. */
void report_print_string(FILE *out, const struct model *m, uint32_t string);

/*
 * Prints the program, the comments, the type and the times of the profile, each as a line. A
 * comment that begins with "#" is not printed.
 * Returns: the number of lines.
 */
size_t report_print_head(FILE *out, const struct report *r);

#endif /* COLLECTOR_ANALYSIS_REPORT_H */
