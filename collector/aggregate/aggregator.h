/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns the records of the rings into counted stacks of locations: drain, then flush. Memory
 * grows only with the number of distinct stacks. aggregator.c describes the drain,
 * source_stacks.c the flush.
 */
#ifndef COLLECTOR_AGGREGATOR_H
#define COLLECTOR_AGGREGATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "pprof.h"
#include "process/processes.h"
#include "device/ring.h"
#include "base/tuple_map.h"

struct aggregator;
struct stack_values;

/*
 * Receives one sample of a thread, or of its creation. labels is the number of its label set.
 * locations are the location ids of its stack, leaf first.
 * Returns: 0, or -ENOMEM.
 */
typedef int (*aggregator_show_fn)(void *ctx, const struct pprof_sample *sample, uint64_t labels,
				  const uint64_t *locations, uint32_t nr);

/*
 * The parts and settings of an aggregator. All pointers are borrowed, and outlive the aggregator.
 */
struct aggregator_parts {
	struct processes *processes;
	struct label_sets *labels;
	struct locations *locations;
	aggregator_show_fn show;	/* NULL if single threads are not needed */
	void *show_ctx;
	size_t max_stacks;	/* limit of distinct stacks for each source */
	const uint64_t *periods;	/* by source, as passed to device_start() */
	bool live;		/* threadcreate has the values of thread_lifetimes.h */
	bool heap;		/* the source heap runs */
	/* Process whose program is the main one; 0 for the first known program. */
	pid_t pid;
};

/* Counters of one source, all of 64 bits. The unit is the weight of samples. */
struct aggregator_counts {
	uint64_t consumed;
	uint64_t truncated[PPROF_NR_END_REASONS];	/* by end reason */
	uint64_t guessed;	/* with PPROF_SAMPLE_GUESS */
	uint64_t stale;		/* with PPROF_SAMPLE_STALE */
	uint64_t over_max;	/* of consumed: the stack is over max_stacks */
	uint64_t ignored;	/* of consumed: of an ignored exec id, or outside of the run */
	uint64_t untracked;	/* of consumed: heap objects whose free is not reported */
};

/*
 * Makes an aggregator; aggregator_free() frees it.
 * Returns: the aggregator, or NULL with errno ENOMEM.
 */
struct aggregator *aggregator_new(const struct aggregator_parts *parts);

/* Frees the aggregator. c may be NULL. */
void aggregator_free(struct aggregator *c);

/* Ignores samples of an exec id. A started program is the collector itself until it executes. */
void aggregator_ignore_exec_id(struct aggregator *c, uint64_t exec_id);

/*
 * Sets the start of the run, by the clock of records. Earlier samples are ignored, except those of
 * wall, thread and custom: the sources start one after the other. Losses before the start count,
 * since the time of a loss is not known. Call this before the first drain.
 */
void aggregator_begin(struct aggregator *c, uint64_t begin_ns);

/*
 * Sets the end of the run, by the clock of records. Later records are ignored: the sources stop one
 * after the other. Samples of wall, thread and custom still count, and so do the process events
 * that they need. Call this after wall has stopped, and before any other source stops.
 */
void aggregator_end(struct aggregator *c, uint64_t end_ns);

/*
 * Sets the end of a window, by the clock of records. Drains leave the records from cut_ns on in the
 * rings. UINT64_MAX removes the cut. A record of before the cut may be written after a later one of
 * its ring, or after the last drain of the window. It then counts in the next window.
 */
void aggregator_cut(struct aggregator *c, uint64_t cut_ns);

/*
 * Removes locations and label sets of earlier windows, if they have become many, or is_due is true:
 * see compaction.h. Call it after aggregator_flush(), and before anything keeps a number of a
 * location. Do not call it if parts.show is set: that function keeps such numbers.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_compact(struct aggregator *c, bool is_due);

/*
 * Begins the next window after aggregator_flush(): all stacks and counters are 0 again. Processes
 * and locations stay known. So do heap objects in use, which are no sum over time:
 * aggregator_finish() counts them. Do not reset an aggregator with parts.live: the lifetimes need
 * their stacks.
 */
void aggregator_reset(struct aggregator *c);

/*
 * Reads the records that are in the rings now. A ring is NULL for a CPU that does not exist.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_drain(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings);

/*
 * Reads a sample that is in no ring, as if it came from the ring of CPU 0. A sample that fails
 * sample_is_sane() is ignored.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_take(struct aggregator *c, const struct pprof_sample *sample);

/*
 * Returns the file whose code truncates the most stacks, and sets *count to their weight. Both are
 * as of the last flush. Returns MAPPED_FILES_NONE if no stack is truncated in a file.
 */
uint32_t aggregator_worst_file(const struct aggregator *c, uint32_t source, uint64_t *count);

/*
 * Moves all raw stacks to the map of location stacks.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_flush(struct aggregator *c);

/*
 * The last flush. Nothing may be drained afterwards. It frees no old epochs, as the aggregator ends
 * soon.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_finish(struct aggregator *c);

/*
 * Returns the counted stacks of a source, as of the last flush. The numbers of a tuple are
 * location ids, leaf first. Its tag is the number of the label set.
 */
const struct tuple_map *aggregator_stacks(const struct aggregator *c, uint32_t source);

/* Returns the values of these stacks, by their ids. A profile type without values has none. */
const struct stack_values *aggregator_values(const struct aggregator *c, uint32_t source);

/*
 * Samples over max_stacks share one extra value slot, at index max_stacks. Returns its values,
 * or NULL if there are no such samples, or the profile type has no values.
 */
const double *aggregator_over_values(const struct aggregator *c, uint32_t source);

/* Returns the counters of a source, since the last reset. They belong to c. */
const struct aggregator_counts *aggregator_counts(const struct aggregator *c, uint32_t source);

/* Returns the counters of a source over all windows. */
struct aggregator_counts aggregator_total(const struct aggregator *c, uint32_t source);

/*
 * Returns the mapping id (see locations.h) of the main program: the program of parts.pid. If that
 * process has no stack, the first program that is known counts as the main one. Returns a negative
 * value if no program is known.
 */
int64_t aggregator_exe_mapping(const struct aggregator *c);

/* Returns how many process events were read. */
uint64_t aggregator_nr_events(const struct aggregator *c);

/* Returns how many programs were executed. */
uint64_t aggregator_nr_execs(const struct aggregator *c);

/*
 * Returns how many processes the module dropped: the user may not look into their new program, or
 * they left the cgroup.
 */
uint64_t aggregator_nr_dropped(const struct aggregator *c);

#endif /* COLLECTOR_AGGREGATOR_H */
