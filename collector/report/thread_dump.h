/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A dump of threads to be read by people, as debug=2 prints Go's goroutines. Each thread is shown
 * on its own: its state, its stack, and its creator, if the creation was seen.
 */
#ifndef COLLECTOR_THREAD_DUMP_H
#define COLLECTOR_THREAD_DUMP_H

#include <stdint.h>

#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "pprof.h"

struct thread_dump;
struct gzip_file;

/*
 * Makes an empty dump, for thread_dump_free(). labels is borrowed, and outlives the dump.
 * Returns: the dump, or NULL with errno ENOMEM.
 */
struct thread_dump *thread_dump_new(const struct label_sets *labels);

/* Frees the dump. d may be NULL. */
void thread_dump_free(struct thread_dump *d);

/*
 * Adds the sample of a thread, or of the creator of a thread (PPROF_SOURCE_THREADCREATE). labels is
 * the number of its label set. locations are the nr location ids of its stack, leaf first.
 * Returns: 0, or -ENOMEM.
 */
int thread_dump_add(struct thread_dump *d, const struct pprof_sample *sample, uint64_t labels,
		    const uint64_t *locations, uint32_t nr);

/*
 * Writes the dump to gz, sorted by tid, and then the comments. NULL ends their list. The caller
 * commits or aborts gz.
 * Returns: 0, or a negative errno.
 */
int thread_dump_write(struct thread_dump *d, struct locations *locations,
		      struct mapped_files *files, const char *const *comments,
		      struct gzip_file *gz);

#endif /* COLLECTOR_THREAD_DUMP_H */
