// SPDX-License-Identifier: GPL-2.0
#include "aggregate/stack_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int values_add(struct values *v, size_t id, const double *add)
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

const double *values_at(const struct values *v, size_t id)
{
	return v->nr ? v->list + id * v->nr : NULL;
}

void values_clear(struct values *v)
{
	if (v->list)
		memset(v->list, 0, v->room * v->nr * sizeof(*v->list));
}

void values_fini(struct values *v)
{
	free(v->list);
	*v = (struct values){ 0 };
}
