/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of a stack beside its number of samples. They are estimates, as in Go, so they are not
 * whole numbers until the end.
 */
#ifndef COLLECTOR_STACK_VALUES_H
#define COLLECTOR_STACK_VALUES_H

#include <stddef.h>

#define VALUES_MAX	4	/* heap: objects and bytes, allocated and in use */

/* Values by the id of a stack (see base/tuple_map.h). */
struct stack_values {
	double *list;
	size_t room;		/* of list, in stacks */
	unsigned int nr;	/* values of a stack, at most VALUES_MAX; 0: none are stored */
};

/*
 * Adds to the values of a stack; new stacks start at 0.
 * Returns: 0, or -ENOMEM.
 */
int stack_values_add(struct stack_values *v, size_t id, const double *add);

/*
 * Returns the values of an id that was added to, or NULL if nr is 0. They are valid until the
 * next stack_values_add().
 */
const double *stack_values_at(const struct stack_values *v, size_t id);

/* Sets all values to 0. */
void stack_values_clear(struct stack_values *v);

/* Frees the list. */
void stack_values_fini(struct stack_values *v);

#endif /* COLLECTOR_STACK_VALUES_H */
