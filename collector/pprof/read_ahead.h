/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that inflates a file while the caller decodes what it has got: both take about the same
 * time. The thread is at most READ_AHEAD_BLOCKS blocks ahead.
 *
 * The thread blocks all signals. It reads regular files only, so it never waits for long, and
 * read_ahead_stop() may join it at any time.
 */
#ifndef COLLECTOR_READ_AHEAD_H
#define COLLECTOR_READ_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#define READ_AHEAD_BLOCKS	4
#define READ_AHEAD_BLOCK_BYTES	((size_t)256 << 10)

struct profile_fault;
struct profile_source;
struct read_ahead;

/*
 * Starts a thread that reads the source, which belongs to it until read_ahead_stop().
 * Returns: the thread, or NULL if there is no memory or no thread. Then the caller reads by itself.
 */
struct read_ahead *read_ahead_start(struct profile_source *source);

/* Ends the thread, and frees all but the source. r may be NULL. */
void read_ahead_stop(struct read_ahead *r);

/* profile_source_read() of the thread's source. Sleeps until there is data. */
int read_ahead_read(struct read_ahead *r, uint8_t *to, size_t len, size_t *got,
		    struct profile_fault *fault);

#endif /* COLLECTOR_READ_AHEAD_H */
