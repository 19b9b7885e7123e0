/* SPDX-License-Identifier: GPL-2.0 */
/* One profiling run: its parts, shared by profile_prepare.c, profile_loop.c, profile_results.c. */
#ifndef COLLECTOR_PROFILE_RUN_H
#define COLLECTOR_PROFILE_RUN_H

#include <stdint.h>
#include <sys/types.h>

#include "aggregate/profile_types.h"
#include "base/stop_signals.h"
#include "report/output_files.h"
#include "report/progress.h"
#include "session/session_totals.h"
#include "session/settings.h"
#include "session/time_span.h"
#include "pprof.h"

/* The child that writes a window: see window_writer.h. All zeroes is idle. */
struct window_writer {
	pid_t pid;		/* of the child; 0: idle */
	int fd;			/* of the socket to the child */
	struct time_span span;	/* of the window */
};

/*
 * Counters of a run, apart from those of the aggregator. The module counts from the start of the
 * session.
 */
struct profile_run_counters {
	uint64_t lost[PPROF_NR_CLASSES];	/* by PPROF_SOURCE_* or PPROF_CLASS_* */
	uint64_t lost_early[PPROF_NR_CLASSES];	/* of lost: with PPROF_LOST_QUEUE */
	uint64_t slowest_ns[PPROF_NR_SOURCES];	/* see device_slowest_ns() */
	uint64_t refused;	/* tables and lists of ranges that the module refused */
};

struct profile_run {
	const struct settings *settings;
	struct device *dev;
	struct ring **rings;
	struct mapped_files *files;
	struct processes *processes;
	struct label_sets *labels;
	struct locations *locations;
	struct aggregator *aggregator;
	struct unwind_tables *tables;	/* NULL: the run unwinds by frame pointers */
	struct unwind_ranges *ranges;	/* NULL if tables is NULL */
	struct command *program;
	struct thread_dump *dump;	/* NULL: the output has no dump of threads */
	struct heap *heap;		/* NULL: the run has neither heap nor allocs */
	struct profile_push *push;	/* NULL: nothing is sent */
	struct output_files outputs;
	struct model *models[PROFILE_TYPE_NR];	/* of written profiles, until they are shown */
	struct profile_type custom_type;
	uint64_t exec_id;		/* of the process that was attached last */
	uint64_t periods[PPROF_NR_SOURCES];
	uint64_t begin_ns;		/* CLOCK_MONOTONIC */
	uint64_t end_ns;		/* UINT64_MAX: at a signal, or with the last target */
	struct time_span span;		/* of the run, or of its window */
	struct progress progress;
	struct profile_run_counters counters;	/* as of profile_run_count() */
	struct session_totals added;	/* to those of the settings */
	uint64_t nr_changes;		/* of files, that changed_files.c has applied */
	uint64_t searched_ns;		/* its last search; CLOCK_MONOTONIC */
	/* The fields down to before are for a continuous profile. */
	char comm[64];	/* of the target or its cgroup, cut; "" with --all */
	struct named_code *code;	/* what the children have found */
	struct window_store *store;	/* NULL: the run writes one profile */
	struct window_writer writer;
	uint64_t window_end_ns;		/* planned end of the window, CLOCK_MONOTONIC */
	uint64_t nr_windows;		/* that have ended */
	uint64_t nr_failed_windows;	/* of these, windows that lack a file */
	uint64_t nr_window_files;
	struct profile_run_counters before;	/* losses in the windows before this one */
	/* Bit n: the snapshot of PPROF_SOURCE_* n failed, or it lacks its last samples. */
	unsigned int failed;
	struct stop stop;
	/*
	 * When request_fd is readable, the loop drains the rings, and then calls on_request(r). A
	 * result that is not 0 ends the loop with an error. NULL: there are no requests.
	 */
	int (*on_request)(struct profile_run *r);
	int request_fd;
};

/*
 * Initializes a run without parts. settings is borrowed. The run owns program, which may be NULL.
 * profile_run_fini() frees all parts, also after a failure.
 */
void profile_run_init(struct profile_run *r, const struct settings *settings, int stop_fd,
		      struct command *program);

/* Frees all parts that were made. */
void profile_run_fini(struct profile_run *r);

/* Returns the pid of the program, or else the first pid of the settings; 0 with --all. */
pid_t profile_run_pid(const struct profile_run *r);

/*
 * Calls unwind_ranges_update(), if the run unwinds by tables.
 * Returns: 0, or -ENOMEM.
 */
int profile_run_update_ranges(struct profile_run *r);

/*
 * Reads the counters of the run, or those of its window. Call this after the last drain: losses
 * after it belong to no sample.
 */
void profile_run_count(struct profile_run *r);

/* Sets the counters of losses to 0, for the next window. */
void profile_run_count_again(struct profile_run *r);

#endif /* COLLECTOR_PROFILE_RUN_H */
