/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a model that is being made, each of them once. */
#ifndef COLLECTOR_FUNCTION_SET_H
#define COLLECTOR_FUNCTION_SET_H

#include <stdint.h>

#include "base/span_set.h"

struct model;
struct text_cursor;

struct function_set {
	struct model *m;
	/* Spans of two strings: name and file. The index of a function is id - 1. */
	struct span_set names;
};

/* Begins the set for a model without functions. Returns: 0, or -ENOMEM. */
int function_set_init(struct function_set *s, struct model *m);

/* Frees the set, but not the functions. A set of all zeroes is allowed. */
void function_set_fini(struct function_set *s);

/*
 * Finds or adds the function of this name in this file, which may be empty.
 * Returns: its index in the model, or a negative errno.
 */
int64_t function_set_add(struct function_set *s, const struct text_cursor *name,
			 const struct text_cursor *file);

#endif /* COLLECTOR_FUNCTION_SET_H */
