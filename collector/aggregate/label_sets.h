/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of labels, interned: equal sets have one number. */
#ifndef COLLECTOR_LABELS_H
#define COLLECTOR_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.h"

struct profile_label;
struct labels;

/* Labels that the user may ask for. In the order of the values below. */
#define LABELS_WANT_PID	(1U << 0)
#define LABELS_WANT_TID	(1U << 1)
#define LABELS_WANT_CPU	(1U << 2)
#define LABELS_WANT_THREAD	(1U << 3)
#define LABELS_WANT_COMM	(1U << 4)

#define LABELS_NR_KINDS	7			/* of ours */
#define LABELS_MAX	(LABELS_NR_KINDS + PPROF_MAX_LABELS)

#define LABELS_NO_CPU	UINT32_MAX

/* What a sample could be labelled with. */
struct labels_values {
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;		/* LABELS_NO_CPU: no such label */
	const char *thread;	/* the thread's name */
	const char *comm;	/* its process's name */
	const char *class;	/* what it blocked on; NULL: no label, else always one */
	const char *state;	/* it was found in; likewise */
	uint64_t set;		/* of the program's own, see labels_tell(); 0: none */
};

/* wanted: LABELS_WANT_* bits. NULL with errno ENOMEM. */
struct labels *labels_new(unsigned int wanted);

/* NULL is fine. */
void labels_free(struct labels *l);

/*
 * What set is, of a program's own: bytes of text, see struct pprof_sample_labels. It
 * may be told again. 0 or -ENOMEM.
 */
int labels_tell(struct labels *l, uint64_t set, const char *text, size_t bytes);

/* The number of the set of labels; 0 if there are none. -ENOMEM. */
int64_t labels_intern(struct labels *l, const struct labels_values *values);

/*
 * Fills the labels of set `id`, LABELS_MAX at most, and returns how many there
 * are: ours, and then the program's own, but for those that have keys of ours. Strings
 * live as long as l.
 */
size_t labels_get(const struct labels *l, uint64_t id, struct profile_label *out);

/* The same of the program's own alone, all of them. */
size_t labels_get_own(const struct labels *l, uint64_t id, struct profile_label *out);

#endif /* COLLECTOR_LABELS_H */
