/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the threads whose creation was seen are alive, and how long the others
 * lived, by the stack that created them.
 *
 * A thread's creation and its end come from the rings of two CPUs, so either may
 * be read first: an end without a thread is kept for the one that is to come. Tids
 * are used again, but a thread is older than its end.
 */
#ifndef COLLECTOR_LIFETIMES_H
#define COLLECTOR_LIFETIMES_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.h"
#include "base/hash_index.h"
#include "aggregate/stack_values.h"

/* What the values of a stack are: of all threads, of the living, ns that the dead lived. */
#define LIFETIMES_THREADS	0
#define LIFETIMES_LIVE		1
#define LIFETIMES_NS		2
#define LIFETIMES_NR		3

struct lifetime;

struct lifetimes {
	struct values *raw;	/* by raw stack, until lifetimes_move() */
	struct values *moved;
	struct lifetime *list;
	size_t nr;
	size_t room;
	size_t nr_used;		/* of list: neither dead nor settled */
	struct slots by_tid;
	struct pprof_event *ends;	/* that are to be settled */
	size_t nr_ends;
	size_t ends_room;
};

/* Both are borrowed. -ENOMEM. */
int lifetimes_init(struct lifetimes *l, struct values *raw, struct values *moved);

/* A zeroed one is left alone. */
void lifetimes_fini(struct lifetimes *l);

/* A sample of PPROF_SOURCE_THREADCREATE, which was added to the raw stack `id`. -ENOMEM. */
int lifetimes_begin(struct lifetimes *l, const struct pprof_sample *sample, size_t id);

/* A record of somebody's life; ends are copied, for lifetimes_settle(). -ENOMEM. */
int lifetimes_note(struct lifetimes *l, const struct pprof_event *ev);

/* The ends that were noted come true, for all threads that have begun. -ENOMEM. */
int lifetimes_settle(struct lifetimes *l);

/* What was the raw stack i is ids[i] now. */
void lifetimes_move(struct lifetimes *l, const int64_t *ids);

#endif /* COLLECTOR_LIFETIMES_H */
