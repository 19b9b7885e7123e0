/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT and SIGTERM, which end a run early and lose nothing: the first one ends
 * the sampling, if that has not ended by itself, and the second one the search
 * for names, which takes as long as the profiled programs' files make it.
 */
#ifndef COLLECTOR_STOP_H
#define COLLECTOR_STOP_H

#include <stdbool.h>

struct stop {
	int fd;			/* readable after a signal */
	unsigned int nr;	/* signals that were taken */
};

/* Blocks both signals; from then on they are read. A descriptor, or -1 with errno. */
int stop_open(void);

/* Takes the signal for which fd is readable: 0, or -1 with errno. */
int stop_take(struct stop *s);

/* Whether one waits to be taken. */
bool stop_is_asked(const struct stop *s);

/* Whether there were two, with the one that may wait to be taken. ctx: a struct stop. */
bool stop_is_urgent(void *ctx);

#endif /* COLLECTOR_STOP_H */
