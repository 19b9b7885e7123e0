/* SPDX-License-Identifier: GPL-2.0 */
/* All tables of a profile as text, as go tool pprof -raw prints them. */
#ifndef COLLECTOR_ANALYSIS_RAW_H
#define COLLECTOR_ANALYSIS_RAW_H

#include <stdio.h>

struct model;

/*
 * Prints the header, the samples, the locations and the mappings. Ids are those of the file, or
 * indices + 1 in a sum of files. A profile without mappings gets an empty one, as in Go's pprof.
 * Write errors are left in out, for ferror().
 * Returns: 0, or -ENOMEM; then a part was printed.
 */
int raw_print(FILE *out, const struct model *m);

#endif /* COLLECTOR_ANALYSIS_RAW_H */
