/* SPDX-License-Identifier: GPL-2.0 */
/* The threads of a model: its samples by the labels tid, pid, thread and comm. */
#ifndef COLLECTOR_FIREFOX_THREADS_H
#define COLLECTOR_FIREFOX_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct tuple_map;

/* Labels that are missing are -1, or "" (string 0 of the model). */
struct firefox_thread {
	int64_t pid;
	int64_t tid;
	uint32_t name;
	uint32_t comm;		/* the name of the process */
	size_t first_sample;	/* in firefox_threads.samples */
	size_t nr_samples;
};

struct firefox_threads {
	struct firefox_thread *items;	/* in the order of first use by a sample; one at least */
	size_t nr;
	uint32_t *samples;		/* all samples of the model, thread by thread */

	/* The rest is private. */
	size_t room;
	struct tuple_map *ids;
	uint32_t *of_set;		/* by label set: a thread */
};

/*
 * Divides the samples of a model. firefox_threads_fini() frees all, also after an error.
 * Returns: 0, or -ENOMEM.
 */
int firefox_threads_init(struct firefox_threads *t, const struct model *m);

/* Frees the threads. t may be all zeroes. */
void firefox_threads_fini(struct firefox_threads *t);

#endif /* COLLECTOR_FIREFOX_THREADS_H */
