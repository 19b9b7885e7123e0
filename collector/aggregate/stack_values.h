/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a profile tells of each stack beside its number of samples: estimates,
 * as those of Go, which is why they are no whole numbers before the end.
 */
#ifndef COLLECTOR_VALUES_H
#define COLLECTOR_VALUES_H

#include <stddef.h>

#define VALUES_MAX	4	/* heap: objects and bytes, of all and of those in use */

/* By a stack's id (see base/tuple_map.h), as many a stack as its kind has. */
struct values {
	double *list;
	size_t room;		/* of list, in stacks */
	unsigned int nr;	/* of a stack, at most VALUES_MAX; 0: none are kept */
};

/* Adds to the values of a stack, which are 0 at first. 0 or -ENOMEM. */
int values_add(struct values *v, size_t id, const double *add);

/* Of an id that was added to; until the next addition. */
const double *values_at(const struct values *v, size_t id);

/* All are 0 again. */
void values_clear(struct values *v);

void values_fini(struct values *v);

#endif /* COLLECTOR_VALUES_H */
