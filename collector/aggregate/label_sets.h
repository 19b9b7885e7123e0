/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of labels, interned: equal sets have the same number. */
#ifndef COLLECTOR_LABEL_SETS_H
#define COLLECTOR_LABEL_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"

struct cgroup;
struct profile_label;
struct label_sets;

/* Labels that the user may request, in the order of the values below. */
#define LABELS_WANT_PID	(1U << 0)
#define LABELS_WANT_TID	(1U << 1)
#define LABELS_WANT_CPU	(1U << 2)
#define LABELS_WANT_THREAD	(1U << 3)
#define LABELS_WANT_COMM	(1U << 4)
#define LABELS_WANT_CGROUP	(1U << 5)
#define LABELS_WANT_CONTAINER	(1U << 6)
#define LABELS_WANT_POD	(1U << 7)
#define LABELS_WANT_UNIT	(1U << 8)

/* Those that come from the cgroup of the process. */
#define LABELS_OF_CGROUP	\
	(LABELS_WANT_CGROUP | LABELS_WANT_CONTAINER | LABELS_WANT_POD | LABELS_WANT_UNIT)

/* One request for several labels: see struct process_context. */
#define LABELS_WANT_RESOURCE	(1U << 16)
/* The same: see process/thread_context.h. */
#define LABELS_WANT_TRACE	(1U << 17)

/* Number of labels of the collector: those of bits 0 to 8, class and state. */
#define LABELS_NR_BITS	11
/* Limit of the labels in labels_values.resource. */
#define LABELS_MAX_RESOURCE	4
/* Limit of the labels in labels_values.trace. */
#define LABELS_MAX_TRACE	18
#define LABELS_MAX	\
	(LABELS_NR_BITS + PPROF_MAX_LABELS + LABELS_MAX_RESOURCE + LABELS_MAX_TRACE)

/*
 * Limit of different values of labels_values.trace: some 100 MB. Further ones give no label. Each
 * request of a program has a trace of its own.
 */
#define LABELS_MAX_TRACES	(1U << 18)

/* Limit of label sets: the tag of a raw stack has 26 bits for the number (raw_stack.h). */
#define LABELS_MAX_SETS	(UINT32_MAX >> 6)

/* The thread was on no CPU. */
#define LABELS_NO_CPU	UINT32_MAX

/* The possible labels of a sample. */
struct labels_values {
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;		/* LABELS_NO_CPU: the sample has no such label */
	const char *thread;	/* name of the thread */
	const char *comm;	/* name of the process */
	const struct cgroup *cgroup;	/* of the process; NULL: not known, or not wanted */
	const char *class;	/* class of its wait, always shown; NULL: no label */
	const char *state;	/* state of the thread, always shown; NULL: no label */
	uint64_t set;		/* label set of the program: see labels_add_set(); 0: none */
	/* Resource attributes of its process: key, NUL, value, NUL, ... They are always shown. */
	const char *resource;
	size_t resource_bytes;	/* 0: none */
	/* The trace for which its thread works, and other attributes, in the same form. */
	const char *trace;
	size_t trace_bytes;	/* 0: none */
};

/*
 * Makes an empty table; wanted is a set of LABELS_WANT_*. labels_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct label_sets *labels_new(unsigned int wanted);

/* Frees the table. l may be NULL. */
void labels_free(struct label_sets *l);

/* Is any of these labels wanted? */
bool labels_want(const struct label_sets *l, unsigned int bits);

/* The program of a label set: its process, and its exec id. */
struct labels_owner {
	pid_t pid;
	uint64_t exec_id;
};

/*
 * Stores the content of a program's label set: bytes of text, see struct pprof_sample_labels. A
 * second call for the same set is ignored.
 * Returns: 0, or -ENOMEM.
 */
int labels_add_set(struct label_sets *l, const struct labels_owner *owner, uint64_t set,
		   const char *text, size_t bytes);

/*
 * Returns the number of the label set of a sample, 0 if it has no label; -ENOSPC if there are
 * LABELS_MAX_SETS other sets, or -ENOMEM.
 */
int64_t labels_intern(struct label_sets *l, const struct labels_values *values);

/* Returns false if the program is known to have ended. */
typedef bool (*labels_is_running_fn)(void *ctx, const struct labels_owner *owner);

/*
 * Removes the label sets of samples with new_numbers[number] == 0. The others get the numbers 1, 2,
 * ... in their order, which new_numbers must have for them. Sets of programs for which is_running()
 * returns true stay: the module sends their content once.
 * Returns: 0, or -ENOMEM, and then nothing has changed.
 */
int labels_keep(struct label_sets *l, const uint32_t *new_numbers, labels_is_running_fn is_running,
		void *ctx);

/* Returns how many label sets of samples there are: their numbers are 1 to this one. */
size_t labels_nr(const struct label_sets *l);

/*
 * Fills out with the labels of set id, at most LABELS_MAX: those of the collector, then those of
 * the program, of its trace, and its resource attributes. A label is left out if one before it has
 * the same key.
 * The strings are valid as long as l.
 * Returns: the number of labels.
 */
size_t labels_get(const struct label_sets *l, uint64_t id, struct profile_label *out);

/*
 * Fills out with the labels of the program in set id (values.set), at most PPROF_MAX_LABELS. It has
 * also those whose keys are labels of the collector, which labels_get() leaves out.
 * Returns: the number of labels.
 */
size_t labels_get_own(const struct label_sets *l, uint64_t id, struct profile_label *out);

#endif /* COLLECTOR_LABEL_SETS_H */
