/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the files of a window in a child process, while the parent goes on to read the rings. The
 * child has the counts of the window as they were at the fork. It gives up all rights but those to
 * write its files: it reads the files of the profiled programs.
 */
#ifndef COLLECTOR_WINDOW_WRITER_H
#define COLLECTOR_WINDOW_WRITER_H

#include <stdint.h>
#include <sys/types.h>

struct profile_run;
struct time_span;
struct window_writer;	/* see profile_run.h */

/* A complete file. */
struct window_file {
	const char *path;
	uint32_t profile_type;		/* PROFILE_TYPE_* */
	const struct time_span *span;	/* of its window */
	const char *comm;		/* with --by, the name of its processes; else "" */
	pid_t pid;			/* with --by process, the process; else 0 */
};

/*
 * Begins to write the window that has ended: r->span, r->counters and the stacks of r->aggregator,
 * which were flushed. The writer is idle.
 * Returns: 0, or a negative errno.
 */
int window_writer_start(struct window_writer *w, struct profile_run *r);

/* Takes a file of a run. */
typedef void (*window_writer_fn)(struct profile_run *r, const struct window_file *file);

/*
 * Reads what the child has sent, without a wait: it calls take() for each complete file, and stores
 * the symbols that the child has looked up. After the end of the child the writer is idle.
 * Returns: 0, or -1 if the child has ended without all files, after the cause was printed.
 */
int window_writer_read(struct window_writer *w, struct profile_run *r, window_writer_fn take);

#endif /* COLLECTOR_WINDOW_WRITER_H */
