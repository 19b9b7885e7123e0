/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP, which end a run early and lose nothing: the first one
 * ends the sampling, if that has not ended by itself, and a second one the search for
 * names, which takes as long as the profiled programs' files make it. A SIGHUP is never
 * the second one: it asks for an end, and not for haste.
 */
#ifndef COLLECTOR_STOP_H
#define COLLECTOR_STOP_H

#include <stdbool.h>

struct stop {
	int fd;			/* readable after a signal */
	unsigned int nr;	/* signals that were taken, SIGHUP as the first one only */
};

/*
 * Blocks these signals, SIGHUP if it is not ignored, as nohup(1) has it; from then on they
 * are read. A descriptor, or -1 with errno.
 */
int stop_open(void);

/* Takes the signal for which fd is readable: 0, or -1 with errno. */
int stop_take(struct stop *s);

/* Whether one waits to be taken. */
bool stop_is_asked(const struct stop *s);

/* Takes what waits, and whether that asks for more than those before. */
bool stop_is_asked_anew(struct stop *s);

/* Whether there were two, with the one that may wait to be taken. ctx: a struct stop. */
bool stop_is_urgent(void *ctx);

#endif /* COLLECTOR_STOP_H */
