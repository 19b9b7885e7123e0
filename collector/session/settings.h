/* SPDX-License-Identifier: GPL-2.0 */
/* What a run is to do; cli/options.c fills it from the command line. */
#ifndef COLLECTOR_SETTINGS_H
#define COLLECTOR_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct settings {
	uint64_t duration_ns;		/* 0: until interrupted */
	bool quiet;
	pid_t *pids;
	size_t nr_pids;
	bool all;
	bool children;
	char **program;			/* argv to start; NULL: none */
	unsigned int kinds;		/* bit n: the kind n, see pprof/sample_type.h */
	const char *custom;		/* a profile that the one pid keeps; NULL: none */
	unsigned int hz;
	uint64_t block_rate_ns;		/* shorter waits are sampled; 1: all are */
	uint32_t mutex_fraction;	/* one of so many contended unlocks is sampled */
	uint32_t growth_rate;		/* bytes between two samples */
	uint32_t heap_rate;		/* likewise; 1: every object */
	bool live;			/* of threads created: which are alive */
	unsigned int labels;		/* LABELS_WANT_* */
	uint32_t buffer_pages;		/* of a CPU's ring, a power of two */
	bool tables;			/* unwind by them, not by frame pointers */
	uint32_t max_frames;
	size_t max_stacks;
	const char *output;		/* NULL: named by us */
	unsigned int debug;		/* as in Go: 0 is a profile, 1 and 2 are text */
	const char *drop_frames;	/* NULL: the kind's own */
	const char *keep_frames;	/* NULL: none */
};

/* Does the run take a snapshot and nothing else? Then there is nothing to wait for. */
bool settings_at_once(const struct settings *s);

/* Is each of the threads to be shown on its own? */
bool settings_dump(const struct settings *s);

/* The period that a source of PPROF_SOURCE_* is started with, see struct pprof_start. */
uint64_t settings_period(const struct settings *s, uint32_t source);

#endif /* COLLECTOR_SETTINGS_H */
