/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns the records of the rings into counted stacks of locations: drain, then flush. Memory
 * grows only with the number of distinct stacks.
 *
 * aggregator_drain() makes two passes over the part of each ring between its tail and its head.
 *
 *   1. sideband_find() collects the process events (fork, exec, mmap, exit) of all rings, and sorts
 *      them by time. It reads no sample and releases nothing.
 *   2. take_slice() applies the events. Then take_samples() counts the samples of each ring.
 *
 * One pass would give wrong symbols. A sample needs the mappings of its process at its time.
 * Their records may be in the ring of another CPU, which is read later. Samples need no order
 * among themselves: to sort the few events is enough, and the many samples stay in place.
 *
 * A drain is one slice, unless its events make old address-space epochs of over MAX_PAST_BYTES,
 * as a program that maps in a loop does. Then the slice ends at that event. It counts the samples
 * that are older than the next event, and a flush frees the old epochs. The event list points
 * into the rings: they are released only with the last slice.
 *
 * A sample is counted as a raw stack: its addresses, and a tag with its epoch, labels and end
 * reason. This costs one look-up. A free or a thread's end may be read before its allocation or
 * creation, which is in another ring. heap_objects.h and thread_lifetimes.h match them later.
 *
 * flush_source() moves the raw stacks of a source to the map of location stacks. It looks up each
 * address in the mappings of its epoch. So a mapping that is reported late still counts for the
 * raw stacks of its epoch. Equal stacks of different processes become one here. Values are added
 * up, and heap objects and thread lifetimes get the new stack ids.
 *
 * A flush runs when a raw map is full (add_stack()). The rest of the slice still needs the old
 * epochs, so this flush keeps them. A flush also runs after a slice with many ended processes or
 * old epochs (aggregator_flush()), and at the end (aggregator_finish()). These free them.
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
 * places are the location ids of its stack, leaf first.
 * Returns: 0, or -ENOMEM.
 */
typedef int (*aggregator_show_fn)(void *ctx, const struct pprof_sample *sample, uint64_t labels,
				  const uint64_t *locations, uint32_t nr);

/* What the aggregator works with. All is borrowed and must live as long. */
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

/* Counters of one source. The unit is the weight of samples. */
struct aggregator_counts {
	uint64_t consumed;
	uint64_t truncated[PPROF_NR_END_REASONS];	/* by end reason */
	uint64_t guessed;	/* with PPROF_SAMPLE_GUESS */
	uint64_t stale;		/* with PPROF_SAMPLE_STALE */
	uint64_t over_max;	/* of consumed: the stack is over max_stacks */
	uint64_t ignored;	/* of consumed: of an ignored exec id, or outside of the run */
	uint64_t unfollowed;	/* of consumed: heap objects whose free is not reported */
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
 * Sets the begin of the run, by the clock of records. Earlier samples are ignored, since the
 * sources start one after the other. Samples of wall, thread and custom are not affected. Losses
 * before the begin count, since the time of a loss is not known. Call this before the first
 * drain.
 */
void aggregator_begin(struct aggregator *c, uint64_t begin_ns);

/*
 * Sets the end of the run, by the clock of records. Later records are ignored, since the sources
 * stop one after the other. Not ignored are samples of wall, thread and custom, and the process
 * events that these samples need. Call this when wall has stopped, before any other source stops.
 */
void aggregator_end(struct aggregator *c, uint64_t end_ns);

/*
 * Reads the records that are in the rings now: see the top of this file. A ring is NULL for a CPU
 * that does not exist.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_drain(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings);

/*
 * Reads a sample that is in no ring, as of CPU 0. A sample that fails sample_is_sane() is
 * ignored.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_take(struct aggregator *c, const struct pprof_sample *sample);

/*
 * Returns the file whose code truncates the most stacks, and sets *count to their weight.
 * Returns MAPPED_FILES_NONE if no stack is truncated in a file. This holds for the time of the last
 * flush.
 */
uint32_t aggregator_worst_file(const struct aggregator *c, uint32_t source, uint64_t *count);

/*
 * Moves all raw stacks to the map of location stacks.
 * Returns: 0, or -ENOMEM. After -ENOMEM the counts are wrong.
 */
int aggregator_flush(struct aggregator *c);

/*
 * The last flush. Nothing may be drained afterwards.
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

/* Returns the counters of a source. They belong to c. */
const struct aggregator_counts *aggregator_counts(const struct aggregator *c, uint32_t source);

/*
 * Returns the mapping id (see locations.h) of the main program, which is that of parts.pid. If it
 * has no stack, returns that of the first process whose program is known. Negative if not known.
 */
int64_t aggregator_exe_mapping(const struct aggregator *c);

/* Returns how many process events were read. */
uint64_t aggregator_nr_events(const struct aggregator *c);

/* Returns how many programs were executed. */
uint64_t aggregator_nr_execs(const struct aggregator *c);

/* Returns how many processes the module dropped: the user may not look into their new program. */
uint64_t aggregator_nr_dropped(const struct aggregator *c);

#endif /* COLLECTOR_AGGREGATOR_H */
