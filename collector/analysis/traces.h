/* SPDX-License-Identifier: GPL-2.0 */
/* Each sample with its labels and its stack, as go tool pprof -traces prints them. */
#ifndef COLLECTOR_ANALYSIS_TRACES_H
#define COLLECTOR_ANALYSIS_TRACES_H

#include <stdio.h>

struct label_units;
struct report;

/*
 * Prints a head, and all samples that have a stack. units are those before all filters. Write
 * errors are left in out, for ferror().
 * Returns: 0; or a negative errno, and then a part may have been printed.
 */
int traces_print(FILE *out, const struct report *r, const struct label_units *units);

#endif /* COLLECTOR_ANALYSIS_TRACES_H */
