/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP end a run early, without loss of data.
 *
 * The first signal ends the sampling, if it has not ended already. The second one ends the
 * symbolization, which can take long with large files of the profiled programs. A SIGHUP never
 * counts as the second signal: it asks for an end, but not for a quick one.
 */
#ifndef COLLECTOR_STOP_SIGNALS_H
#define COLLECTOR_STOP_SIGNALS_H

#include <stdbool.h>

struct stop {
	int fd;			/* of stop_open(); readable when a signal is pending */
	unsigned int nr;	/* signals read so far; a SIGHUP counts only if it is the first */
};

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, and makes a signalfd that reads them. An ignored SIGHUP, as
 * nohup(1) leaves it, is left out. Call this before the first thread is created: threads inherit
 * the mask.
 * Returns: a descriptor that the caller closes, or -1 with errno.
 */
int stop_open(void);

/*
 * Reads one pending signal from fd; waits if there is none.
 * Returns: 0, or -1 with errno.
 */
int stop_take(struct stop *s);

/* Is a signal pending that stop_take() has not read yet? Does not wait. */
bool stop_is_asked(const struct stop *s);

/* Reads one pending signal, if there is one. Returns true if it increased nr. Does not wait. */
bool stop_is_asked_anew(struct stop *s);

/*
 * Reads one pending signal, if there is one. Returns true if two or more have been counted. ctx
 * is a struct stop; the type makes this a callback for symbolization.
 */
bool stop_is_urgent(void *ctx);

#endif /* COLLECTOR_STOP_SIGNALS_H */
