/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetimes of threads, by the stack that created them: which threads are alive, and how long
 * the other ones lived.
 *
 * The creation and the end of a thread come from the rings of two CPUs, so either may be read
 * first. An end that is read first is kept until the creation is read. Tids are reused. So an end
 * belongs to a creation only if the creation is not younger.
 */
#ifndef COLLECTOR_THREAD_LIFETIMES_H
#define COLLECTOR_THREAD_LIFETIMES_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.h"
#include "base/hash_index.h"
#include "aggregate/stack_values.h"

/*
 * Indices of a stack's values: all threads, living threads, and the sum of the lifetimes of ended
 * threads in ns.
 */
#define LIFETIMES_THREADS	0
#define LIFETIMES_LIVE		1
#define LIFETIMES_NS		2
#define LIFETIMES_NR		3

struct lifetime;

struct thread_lifetimes {
	struct stack_values *raw;	/* by raw stack, until lifetimes_move() */
	struct stack_values *moved;	/* by stack, after lifetimes_move() */
	struct lifetime *list;
	size_t nr;
	size_t room;
	size_t nr_used;		/* entries of list that are in use */
	struct hash_index by_tid;
	struct pprof_event *ends;	/* thread ends, for lifetimes_settle() */
	size_t nr_ends;
	size_t ends_room;
};

/*
 * Prepares l. raw and moved are borrowed.
 * Returns: 0, or -ENOMEM.
 */
int lifetimes_init(struct thread_lifetimes *l, struct stack_values *raw,
		   struct stack_values *moved);

/* Frees the memory of l. l may be all zeroes. */
void lifetimes_fini(struct thread_lifetimes *l);

/*
 * Takes a sample of PPROF_SOURCE_THREADCREATE, which was added to the raw stack id.
 * Returns: 0, or -ENOMEM.
 */
int lifetimes_begin(struct thread_lifetimes *l, const struct pprof_sample *sample, size_t id);

/*
 * Takes a process event. Ends are copied, for lifetimes_settle().
 * Returns: 0, or -ENOMEM.
 */
int lifetimes_note(struct thread_lifetimes *l, const struct pprof_event *ev);

/*
 * Applies the ends that were noted to the threads that have been created.
 * Returns: 0, or -ENOMEM.
 */
int lifetimes_settle(struct thread_lifetimes *l);

/* Stacks were moved: the raw stack i is now the stack ids[i]. */
void lifetimes_move(struct thread_lifetimes *l, const int64_t *ids);

#endif /* COLLECTOR_THREAD_LIFETIMES_H */
