// SPDX-License-Identifier: GPL-2.0
#include "aggregate/stack_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int stack_values_add(struct stack_values *v, size_t id, const double *add)
{
	size_t room = v->list ? v->room : 0;
	double *list;

	if (!v->nr)
		return 0;
	list = array_grow(v->list, &v->room, id + 1, v->nr * sizeof(*list));
	if (!list)
		return -ENOMEM;
	memset(list + room * v->nr, 0, (v->room - room) * v->nr * sizeof(*list));
	v->list = list;
	for (unsigned int i = 0; i < v->nr; i++)
		list[id * v->nr + i] += add[i];
	return 0;
}

const double *stack_values_at(const struct stack_values *v, size_t id)
{
	return v->nr ? v->list + id * v->nr : NULL;
}

void stack_values_clear(struct stack_values *v)
{
	if (v->list)
		memset(v->list, 0, v->room * v->nr * sizeof(*v->list));
}

void stack_values_fini(struct stack_values *v)
{
	free(v->list);
	*v = (struct stack_values){ 0 };
}
