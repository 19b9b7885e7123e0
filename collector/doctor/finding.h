/* SPDX-License-Identifier: GPL-2.0 */
/* What `pprof-collect doctor` finds out: a line for each check. */
#ifndef COLLECTOR_FINDING_H
#define COLLECTOR_FINDING_H

#include <stdio.h>

enum finding_mark {
	FINDING_OK,
	FINDING_WARNING,	/* profiles lack something */
	FINDING_PROBLEM,	/* there are no profiles */
};

struct findings {
	FILE *out;
	unsigned int nr_problems;
};

/*
 * Prints a line: the mark's word, the check's name, and what was found, which
 * says how to mend it unless it is FINDING_OK. Any bytes will do. It is cut
 * after PATH_MAX and some.
 */
void finding_print(struct findings *f, enum finding_mark mark, const char *check,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif /* COLLECTOR_FINDING_H */
