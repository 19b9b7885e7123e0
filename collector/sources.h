/* SPDX-License-Identifier: GPL-2.0 */
/* The sources that were asked for, from their start to their end. */
#ifndef COLLECTOR_SOURCES_H
#define COLLECTOR_SOURCES_H

struct config;
struct dev;

/* Starts them. -1: the cause was printed, and some may run. */
int sources_start(struct dev *d, const struct config *c);

/*
 * Stops them; drain() takes what is in the rings where that makes room for the
 * rest, and is not 0 if it can't. Bits of PPROF_SOURCE_*: of these something is
 * missing, as was printed.
 */
unsigned int sources_stop(struct dev *d, const struct config *c, int (*drain)(void *ctx),
			  void *ctx);

#endif /* COLLECTOR_SOURCES_H */
