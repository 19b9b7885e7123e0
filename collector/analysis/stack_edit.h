/* SPDX-License-Identifier: GPL-2.0 */
/* Removes locations from the stacks of a model: each distinct stack is looked at once. */
#ifndef COLLECTOR_STACK_EDIT_H
#define COLLECTOR_STACK_EDIT_H

#include <stdbool.h>
#include <stdint.h>

struct model;

/* A copy of a stack, leaf first. */
struct stack_edit_span {
	uint32_t *locations;
	uint32_t nr;
};

/*
 * Changes the copy of a stack: moves its start, makes it shorter, or moves locations towards its
 * start. A location is never added or replaced.
 * Returns: whether samples with this stack are kept.
 */
typedef bool stack_edit_fn(struct stack_edit_span *stack, void *ctx);

/*
 * Calls edit() for each stack that samples use. Samples get the new stack, or are dropped. Samples
 * that become equal stay apart.
 * Returns: 0, -ENOMEM, or -EOVERFLOW. After an error, samples have old and new stacks.
 */
int stack_edit(struct model *m, stack_edit_fn *edit, void *ctx);

#endif /* COLLECTOR_STACK_EDIT_H */
