/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the records of the rings to counted stacks of named places.
 *
 * Samples are first counted as they come, by raw addresses and address space,
 * which is one look-up a sample. When that map is full, or many processes have
 * ended, or much has been mapped over, its stacks are moved to the places' map,
 * where stacks of different processes fall together. So memory grows with what is
 * distinct only.
 */
#ifndef COLLECTOR_COLLECT_H
#define COLLECTOR_COLLECT_H

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

struct collect;
struct values;

/*
 * Is shown a sample of a thread, or of its creation, with the number of its labels and
 * the ids of its places. 0 or -ENOMEM.
 */
typedef int (*collect_show_fn)(void *ctx, const struct pprof_sample *sample, uint64_t labels,
			       const uint64_t *places, uint32_t nr);

/* All borrowed, and outlive the collect. */
struct collect_parts {
	struct procs *procs;
	struct labels *labels;
	struct locations *locations;
	collect_show_fn show;	/* NULL: nobody wants to see single threads */
	void *show_ctx;
	size_t max_stacks;	/* of each source */
	const uint64_t *periods;	/* of each source, as dev_start() was told */
	bool live;		/* threadcreate has the values of thread_lifetimes.h */
	bool heap;		/* the source heap runs */
	pid_t pid;		/* whose program is the main one; 0: the first that is known */
};

/* What became of one source's samples, in units of their weight. */
struct collect_counts {
	uint64_t consumed;
	uint64_t truncated[PPROF_NR_ENDS];	/* by the reason */
	uint64_t guessed;	/* PPROF_SAMPLE_GUESS */
	uint64_t stale;		/* PPROF_SAMPLE_STALE */
	uint64_t over_max;	/* of consumed: no room for their stacks */
	uint64_t ignored;	/* of consumed: not of the program that was asked for, or late */
	uint64_t unfollowed;	/* of consumed: objects of heap that may be in use or not */
};

/* NULL with errno ENOMEM. */
struct collect *collect_new(const struct collect_parts *parts);

/* NULL is fine. */
void collect_free(struct collect *c);

/* Samples of this image are not the target's: it is ours before its exec. */
void collect_ignore_image(struct collect *c, uint64_t image);

/*
 * The run begins, by the clock of records: what samples tell of before is ignored, since
 * the sources start one after the other. But not of wall, thread and custom; and what was
 * lost counts, as nobody knows when it was. To be called before anything is taken.
 */
void collect_begin(struct collect *c, uint64_t begin_ns);

/*
 * The run is over, by the clock of records: what later ones tell is ignored, since the
 * sources stop one after the other. But for samples of wall, thread and custom, and for
 * what processes execute and map. To be called before the first source stops.
 */
void collect_end(struct collect *c, uint64_t end_ns);

/*
 * Takes what is in the rings (NULL: no such CPU) now. 0 or -ENOMEM, and then
 * the counts are no longer true.
 */
int collect_drain(struct collect *c, struct ring *const *rings, uint32_t nr_rings);

/*
 * Takes a sample that is in no ring, of CPU 0. 0 or -ENOMEM, likewise. What is no
 * sane sample is left out.
 */
int collect_take(struct collect *c, const struct pprof_sample *sample);

/*
 * The file in whose code most stacks ended too early, and how many did;
 * FILES_NONE if none did in a file. As of the last flush.
 */
uint32_t collect_worst_file(const struct collect *c, uint32_t source, uint64_t *count);

/* Moves all that was counted to the places' map. 0 or -ENOMEM, likewise. */
int collect_flush(struct collect *c);

/* The same for the last time: nothing more is drained. */
int collect_finish(struct collect *c);

/*
 * Counted stacks of a source after collect_flush(): the frames are ids of
 * locations, the tag is the labels'.
 */
const struct stacks *collect_stacks(const struct collect *c, uint32_t source);
/* What else each stack has; of a kind without values, none. */
const struct values *collect_values(const struct collect *c, uint32_t source);

/* The same of what is over_max, in all; NULL if nothing is, or without values. */
const double *collect_over_values(const struct collect *c, uint32_t source);

const struct collect_counts *collect_counts(const struct collect *c, uint32_t source);

/*
 * The main executable's mapping, among the locations': without a stack of parts.pid, that
 * of the first process whose program is known. Negative: not known.
 */
int64_t collect_exe_mapping(const struct collect *c);

/* Records of processes' lives that were consumed. */
uint64_t collect_nr_life(const struct collect *c);

/* Programs that were executed. */
uint64_t collect_nr_execs(const struct collect *c);

/* Processes that the kernel dropped: their new program was not ours to see. */
uint64_t collect_nr_dropped(const struct collect *c);

#endif /* COLLECTOR_COLLECT_H */
