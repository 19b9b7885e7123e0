/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef COLLECTOR_CONFIG_H
#define COLLECTOR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum config_command { CONFIG_PROFILE, CONFIG_AUDIT, CONFIG_STATUS, CONFIG_DOCTOR, CONFIG_CFI,
		      CONFIG_LIST };

/* In the order in which aggregate/label_sets.c knows them. */
#define CONFIG_LABEL_PID	(1U << 0)
#define CONFIG_LABEL_TID	(1U << 1)
#define CONFIG_LABEL_CPU	(1U << 2)
#define CONFIG_LABEL_THREAD	(1U << 3)
#define CONFIG_LABEL_COMM	(1U << 4)

struct config {
	enum config_command command;
	uint64_t duration_ns;		/* 0: until interrupted */
	bool quiet;

	/* profile; at least one pid, or all, or a program */
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
	unsigned int labels;		/* CONFIG_LABEL_* */
	uint32_t buffer_pages;		/* of a CPU's ring, a power of two */
	bool tables;			/* unwind by them, not by frame pointers */
	uint32_t max_frames;
	size_t max_stacks;
	const char *output;		/* NULL: named by us */
	unsigned int debug;		/* as in Go: 0 is a profile, 1 and 2 are text */
	const char *drop_frames;	/* NULL: the kind's own */
	const char *keep_frames;	/* NULL: none */

	/* audit; one pid at most, as for doctor; list takes one */
	bool stacks;
	bool json;
	const char *comm;

	/* cfi; at least one file */
	char **files;
	size_t nr_files;
	bool check;
};

#define CONFIG_KINDS	"cpu, wall, threadcreate, thread, block, mutex, growth, heap and allocs, or all, " \
			"which is those but the last two"

/*
 * Reads the command line. Exits with a sentence on standard error and code 2
 * if it is wrong, with 0 after --help and --version. Strings are argv's.
 */
void config_parse(struct config *c, int argc, char **argv);
void config_fini(struct config *c);

/* A snapshot and nothing else: there is nothing to wait for. */
bool config_at_once(const struct config *c);

/* Is each of the threads to be shown on its own? */
bool config_dumps(const struct config *c);

/* What a source of PPROF_SOURCE_* is started with, see struct pprof_start. */
uint64_t config_period(const struct config *c, uint32_t source);

#endif /* COLLECTOR_CONFIG_H */
