/* SPDX-License-Identifier: GPL-2.0 */
/* The comments of a profile, as go tool pprof -comments prints them. */
#ifndef COLLECTOR_ANALYSIS_COMMENTS_H
#define COLLECTOR_ANALYSIS_COMMENTS_H

#include <stdio.h>

struct model;

/* Prints each comment as a line. Write errors are left in out, for ferror(). */
void comments_print(FILE *out, const struct model *m);

#endif /* COLLECTOR_ANALYSIS_COMMENTS_H */
