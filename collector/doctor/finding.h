/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The findings of `pprof-collect doctor`: one line for each check. host*.c and process.c make the
 * checks, and have the texts.
 */
#ifndef COLLECTOR_FINDING_H
#define COLLECTOR_FINDING_H

#include <stdio.h>

enum finding_mark {
	FINDING_OK,
	FINDING_WARNING,	/* profiles lack something */
	FINDING_PROBLEM,	/* no profiles are possible */
};

/* Where the lines go, and how many of them were FINDING_PROBLEM. */
struct findings {
	FILE *out;
	unsigned int nr_problems;
};

/*
 * Prints a line: the word of the mark, the name of the check, and the formatted text. The text ends
 * with a hint, if there is one, unless the mark is FINDING_OK. The text may have any bytes. It is
 * cut after PATH_MAX + 511 bytes.
 */
void finding_print(struct findings *f, enum finding_mark mark, const char *check,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif /* COLLECTOR_FINDING_H */
