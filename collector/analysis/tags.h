/* SPDX-License-Identifier: GPL-2.0 */
/* The labels of a profile with the values of their samples, as go tool pprof -tags prints them. */
#ifndef COLLECTOR_ANALYSIS_TAGS_H
#define COLLECTOR_ANALYSIS_TAGS_H

#include <stdio.h>

struct label_units;
struct report;

/*
 * Prints each key with the total of its samples, and a line for each value of the key, the largest
 * total first. units are those before all filters. Write errors are left in out, for ferror().
 * Returns: 0; or a negative errno, and nothing was printed.
 */
int tags_print(FILE *out, const struct report *r, const struct label_units *units);

#endif /* COLLECTOR_ANALYSIS_TAGS_H */
