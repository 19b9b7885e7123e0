/* SPDX-License-Identifier: GPL-2.0 */
/* A process's memory, faults and time, as /proc tells them: see proc(5). */
#ifndef COLLECTOR_FIGURES_H
#define COLLECTOR_FIGURES_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Prints them as comments of a text profile, "# MaxRSS = 35397632" the last as
 * in Go's: bytes, counts, and seconds. Nothing of a process that is gone, and
 * no memory of one that has only ended.
 */
void figures_print(FILE *out, pid_t pid);

#endif /* COLLECTOR_FIGURES_H */
