// SPDX-License-Identifier: GPL-2.0
#include "analysis/stack_edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/model.h"

#define NOT_EDITED	(MODEL_NONE - 1)	/* no span_set has so many spans */

struct stack_editor {
	struct model *model;
	stack_edit_fn *edit;
	void *ctx;
	uint32_t *edited;	/* by stack: the new one, MODEL_NONE to drop it, or NOT_EDITED */
	uint32_t *copy;
	size_t copy_room;
};

/* Returns: the new stack, MODEL_NONE, or a negative errno. */
static int64_t edit_stack(struct stack_editor *e, uint32_t stack)
{
	uint32_t nr;
	const uint32_t *locations = model_stack(e->model, stack, &nr);
	uint32_t *copy = array_grow(e->copy, &e->copy_room, nr, sizeof(*copy));
	struct stack_edit_span span = { .locations = copy, .nr = nr };

	if (!copy)
		return -ENOMEM;
	e->copy = copy;
	memcpy(copy, locations, nr * sizeof(*copy));
	if (!e->edit(&span, e->ctx))
		return MODEL_NONE;
	return span.nr == nr ? stack : model_add_stack(e->model, span.locations, span.nr);
}

static int edit_samples(struct stack_editor *e)
{
	for (size_t i = 0; i < e->model->samples.nr; i++) {
		uint32_t stack = e->model->samples.items[i].stack;
		int64_t edited = e->edited[stack];

		if (edited == NOT_EDITED)
			edited = edit_stack(e, stack);
		if (edited < 0)
			return edited;
		e->edited[stack] = edited;
		e->model->samples.items[i].stack = edited;
	}
	return 0;
}

static bool has_stack(const struct model *m, size_t sample, void *ctx)
{
	(void)ctx;
	return m->samples.items[sample].stack != MODEL_NONE;
}

int stack_edit(struct model *m, stack_edit_fn *edit, void *ctx)
{
	struct stack_editor e = { .model = m, .edit = edit, .ctx = ctx };
	int err = -ENOMEM;

	e.edited = malloc(m->stacks.nr * sizeof(*e.edited));
	if (e.edited) {
		for (size_t i = 0; i < m->stacks.nr; i++)
			e.edited[i] = NOT_EDITED;
		err = edit_samples(&e);
	}
	model_keep_samples(m, has_stack, NULL);
	free(e.copy);
	free(e.edited);
	return err;
}
