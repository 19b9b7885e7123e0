/* SPDX-License-Identifier: GPL-2.0 */
/* The settings of a run. cli/options_profile.c fills them from the command line. */
#ifndef COLLECTOR_SETTINGS_H
#define COLLECTOR_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What gets a file of its own in a window: all processes together, the processes with one name,
 * each process, or each cgroup.
 */
enum settings_by {
	SETTINGS_BY_NONE, SETTINGS_BY_COMM, SETTINGS_BY_PROCESS, SETTINGS_BY_CGROUP,
};

struct session_totals;

struct settings {
	uint64_t duration_ns;		/* 0: until a signal */
	bool quiet;
	pid_t *pids;
	size_t nr_pids;
	bool all;
	bool children;
	const char *cgroup;		/* path of a cgroup; NULL: none */
	char **program;			/* argv of the program to start; NULL: none */
	unsigned int profile_types;	/* bit n: PROFILE_TYPE_* n, see aggregate/profile_types.h */
	const char *custom;		/* custom profile of the only pid; NULL: none */
	unsigned int hz;
	uint64_t block_rate_ns;		/* shorter waits are sampled by chance; 1: all waits */
	uint32_t mutex_fraction;	/* one of this many contended unlocks is sampled */
	uint32_t growth_rate;		/* growth: bytes between two samples */
	uint32_t heap_rate;		/* heap: bytes between two samples; 1: every object */
	bool live;			/* threadcreate: with lifetimes of threads */
	unsigned int labels;		/* LABELS_WANT_* */
	uint32_t buffer_pages;		/* of one CPU's ring; a power of two */
	bool kernel;			/* with the frames of the kernel */
	bool tables;			/* unwind by tables, not by frame pointers */
	uint32_t max_frames;
	size_t max_stacks;
	const char *output;		/* NULL: the collector chooses the name */
	const char *flame;		/* file of a flame graph at the end; NULL: none */
	unsigned long nr_functions;	/* in the summary; 0: all */
	unsigned int debug;		/* as in Go: 0 is a protobuf profile, 1 and 2 are text */
	/* A continuous profile writes windows of every_ns into the folder dir; 0: one profile. */
	uint64_t every_ns;
	const char *dir;		/* NULL only if every_ns is 0 */
	uint64_t keep_windows;		/* how many windows stay in dir; 0: no limit */
	uint64_t keep_bytes;		/* size of all files that stay; 0: no limit */
	uint64_t keep_seconds;		/* age of windows that stay; 0: no limit */
	enum settings_by by;
	const char *drop_frames;	/* NULL: that of the profile type */
	const char *keep_frames;	/* NULL: none */
	struct session_totals *totals;	/* of a server: the run adds its counters; NULL: none */
};

/* Returns the labels of the collector that samples have: LABELS_WANT_*. --by needs its own. */
unsigned int settings_labels(const struct settings *s);

/* Does the run consist of a snapshot only? Then it does not wait. */
bool settings_at_once(const struct settings *s);

/* Does the output show each thread on its own? */
bool settings_dump(const struct settings *s);

/*
 * Returns the period with which a source (PPROF_SOURCE_*) is started: see struct pprof_start. 0
 * for a source without a period.
 */
uint64_t settings_period(const struct settings *s, uint32_t source);

#endif /* COLLECTOR_SETTINGS_H */
