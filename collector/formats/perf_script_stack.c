// SPDX-License-Identifier: GPL-2.0
#include "formats/perf_script_stack.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/memory_map.h"
#include "formats/perf_script_line.h"

int perf_script_stack_init(struct perf_script_stack *s, struct model *m)
{
	int err = function_set_init(&s->functions, m);

	s->m = m;
	if (!err)
		err = span_set_init(&s->files, sizeof(uint32_t));
	return err ? err : span_set_init(&s->locations, sizeof(uint64_t));
}

void perf_script_stack_fini(struct perf_script_stack *s)
{
	function_set_fini(&s->functions);
	span_set_fini(&s->files);
	span_set_fini(&s->locations);
	free(s->inlined.items);
	free(s->key.items);
	free(s->stack.items);
	*s = (struct perf_script_stack){ 0 };
}

static bool is_unknown(const struct text_cursor *name)
{
	return !text_left(name) || text_is(name, "[unknown]");
}

/* Returns: the mapping of a file, MODEL_NONE, or a negative errno. */
static int64_t find_mapping(struct perf_script_stack *s, const struct text_cursor *file)
{
	struct model_mapping mapping = { 0 };
	int64_t id;

	if (is_unknown(file))
		return MODEL_NONE;
	id = model_add_string(s->m, file->at, text_left(file));
	if (id < 0)
		return id;
	mapping.file = id;
	id = span_set_add(&s->files, &mapping.file, 1);
	if (id < 0 || (size_t)id <= s->m->mappings.nr)
		return id < 0 ? id : id - 1;
	return model_add_mapping(s->m, &mapping);
}

/* Adds a function to the location that is being made. */
static int add_line(struct perf_script_stack *s, const struct text_cursor *name)
{
	const struct text_cursor no_file = { name->end, name->end };
	int64_t id = function_set_add(&s->functions, name, &no_file);
	const struct model_line line = { .function = id };

	return id < 0 ? id : ARRAY_APPEND(s->inlined, &line, 1);
}

/* Finds or adds the location of the functions in s->inlined. Returns: 0, or a negative errno. */
static int push_location(struct perf_script_stack *s, uint64_t address, uint32_t mapping)
{
	const struct model_location location = { .address = address, .mapping = mapping };
	uint32_t index;
	int64_t id;
	int err;

	s->key.nr = 0;
	err = ARRAY_APPEND(s->key, ((uint64_t[]){ address, mapping }), 2);
	for (size_t i = 0; !err && i < s->inlined.nr; i++)
		err = ARRAY_APPEND(s->key, &(uint64_t){ s->inlined.items[i].function }, 1);
	if (err)
		return err;
	id = span_set_add(&s->locations, s->key.items, s->key.nr);
	if (id > 0 && (size_t)id > s->m->locations.nr) {
		int64_t added = model_add_location(s->m, &location, s->inlined.items,
						   s->inlined.nr);

		id = added < 0 ? added : id;
	}
	s->inlined.nr = 0;
	index = id - 1;
	return id < 0 ? id : ARRAY_APPEND(s->stack, &index, 1);
}

/* Inlined frames have the address of the frame that follows. Without that one they are alone. */
static int end_inlined(struct perf_script_stack *s)
{
	return s->inlined.nr ? push_location(s, s->inlined_address, MODEL_NONE) : 0;
}

int perf_script_stack_push(struct perf_script_stack *s, const struct perf_script_frame *frame)
{
	int64_t mapping = find_mapping(s, &frame->dso);
	int err = mapping < 0 ? mapping : 0;

	if (!err && s->inlined_address != frame->address)
		err = end_inlined(s);
	s->inlined_address = frame->address;
	/* A frame of a known file is shown by the file. */
	if (!err && (mapping == MODEL_NONE ? text_left(&frame->symbol) :
					     !is_unknown(&frame->symbol)))
		err = add_line(s, &frame->symbol);
	if (err || frame->is_inlined)
		return err;
	return push_location(s, frame->address, mapping);
}

int64_t perf_script_stack_end(struct perf_script_stack *s)
{
	int err = end_inlined(s);
	int64_t id = err ? err : model_add_stack(s->m, s->stack.items, s->stack.nr);

	s->stack.nr = 0;
	return id;
}

/* Swaps two mappings, in the table and in the locations. */
static void swap_mappings(struct model *m, uint32_t a, uint32_t b)
{
	struct model_mapping saved = m->mappings.items[a];

	m->mappings.items[a] = m->mappings.items[b];
	m->mappings.items[b] = saved;
	for (size_t i = 0; i < m->locations.nr; i++) {
		uint32_t *mapping = &m->locations.items[i].mapping;

		*mapping = *mapping == a ? b : *mapping == b ? a : *mapping;
	}
}

void perf_script_stack_finish(struct perf_script_stack *s)
{
	struct model *m = s->m;
	const struct model_location *l = m->locations.items;

	for (size_t i = 0; i < m->mappings.nr; i++)
		m->mappings.items[i].flags = PROFILE_HAS_FUNCTIONS;
	for (size_t i = 0; i < m->locations.nr; i++)
		if (l[i].mapping != MODEL_NONE && !l[i].nr_lines)
			m->mappings.items[l[i].mapping].flags = 0;
	for (size_t i = 0; i < m->mappings.nr; i++) {
		if (!memory_map_is_program(model_string(m, m->mappings.items[i].file)))
			continue;
		swap_mappings(m, 0, i);
		return;
	}
}
