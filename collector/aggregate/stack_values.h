/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of a stack beside its number of samples. They are estimates, as in Go, so they are not
 * whole numbers until the end.
 */
#ifndef COLLECTOR_VALUES_H
#define COLLECTOR_VALUES_H

#include <stddef.h>

#define VALUES_MAX	4	/* heap: objects and bytes, allocated and in use */

/* Values by the id of a stack (see base/tuple_map.h). */
struct values {
	double *list;
	size_t room;		/* of list, in stacks */
	unsigned int nr;	/* values of a stack, at most VALUES_MAX; 0: none are stored */
};

/*
 * Adds to the values of a stack; new stacks start at 0.
 * Returns: 0, or -ENOMEM.
 */
int values_add(struct values *v, size_t id, const double *add);

/*
 * Returns the values of an id that was added to, or NULL if nr is 0. They are valid until the
 * next values_add().
 */
const double *values_at(const struct values *v, size_t id);

/* Sets all values to 0. */
void values_clear(struct values *v);

/* Frees the list. */
void values_fini(struct values *v);

#endif /* COLLECTOR_VALUES_H */
