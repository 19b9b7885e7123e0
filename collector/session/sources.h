/* SPDX-License-Identifier: GPL-2.0 */
/* The sources that were asked for, from their start to their end. */
#ifndef COLLECTOR_SOURCES_H
#define COLLECTOR_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

struct settings;
struct dev;

/* One process is looked at once, and now: what it does later is none of it. */
bool sources_need_no_hooks(const struct settings *c);

/* PPROF_SETUP_* of the session that they need. */
uint32_t sources_setup_flags(const struct settings *c);

/* Starts them. -1: the cause was printed, and some may run. */
int sources_start(struct dev *d, const struct settings *c);

struct sources_end {
	void (*ended)(void *ctx);	/* the run has, and dev_wall_end_ns() tells when */
	int (*drain)(void *ctx);	/* makes room in the rings for the rest; not 0: it can't */
	void *ctx;
};

/*
 * Stops them: first wall, whose end is the run's, then the others, of which each may take
 * some 0.03 s. ended() is called once, before any drain(). Bits of PPROF_SOURCE_*: of
 * these something is missing, as was printed.
 */
unsigned int sources_stop(struct dev *d, const struct settings *c, const struct sources_end *end);

#endif /* COLLECTOR_SOURCES_H */
