/* SPDX-License-Identifier: GPL-2.0 */
/* Starts and stops the sources that the settings need. */
#ifndef COLLECTOR_SOURCES_H
#define COLLECTOR_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

struct settings;
struct device;

/*
 * Does the run take a snapshot of one process, and nothing else? Then no hook is needed, as
 * later events of the process do not matter.
 */
bool sources_need_no_hooks(const struct settings *s);

/* Returns the PPROF_SETUP_* flags of the session. */
uint32_t sources_setup_flags(const struct settings *s);

/*
 * Starts the sources.
 * Returns: 0; or -1 after an error message, and some sources may run.
 */
int sources_start(struct device *d, const struct settings *s);

/* Callbacks of sources_stop(). */
struct sources_end {
	void (*ended)(void *ctx);	/* the run has ended; device_wall_end_ns() has the time */
	int (*drain)(void *ctx);	/* reads the rings to make room; not 0: it failed */
	void *ctx;
};

/*
 * Stops the sources: first wall, whose end is the end of the run, and then the other ones. Each may
 * take some 0.03 s. ended() is called once, before the first drain().
 * Returns: the set of sources (bit n: source n) that miss samples, after a warning for each.
 */
unsigned int sources_stop(struct device *d, const struct settings *s,
			  const struct sources_end *end);

#endif /* COLLECTOR_SOURCES_H */
