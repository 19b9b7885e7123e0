// SPDX-License-Identifier: GPL-2.0
#include "pprof/merge_entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PAGE_BYTES	4096
#define NOT_MAPPED	UINT32_MAX
#define IN_BATCH	(UINT32_MAX - 1)

int merge_entries_init(struct merge_entries *e)
{
	*e = (struct merge_entries){ .sum = model_new() };
	if (!e->sum || span_set_init(&e->mapping_keys, sizeof(uint64_t)) ||
	    span_set_init(&e->function_keys, sizeof(uint64_t)) ||
	    span_set_init(&e->location_keys, sizeof(uint64_t)))
		return -ENOMEM;
	return 0;
}

void merge_entries_fini(struct merge_entries *e)
{
	model_free(e->sum);
	span_set_fini(&e->mapping_keys);
	span_set_fini(&e->function_keys);
	span_set_fini(&e->location_keys);
	free(e->lines.items);
	free(e->key.items);
	free(e->labels.items);
	free(e->strings.items);
	free(e->mappings.items);
	free(e->functions.items);
	free(e->locations.items);
	free(e->stacks.items);
	free(e->label_sets.items);
}

/* Makes an array large enough for nr items. Evaluates to 0, or -ENOMEM. */
#define RESERVE(array, nr_items) ({							\
	typeof(array) *to_ = &(array);							\
	void *items_ = array_grow(to_->items, &to_->room, (nr_items), sizeof(*to_->items)); \
											\
	if (items_)									\
		to_->items = items_;							\
	items_ ? 0 : -ENOMEM;								\
})

static int reset_map(struct index_map *map, size_t nr)
{
	if (RESERVE(*map, nr))
		return -ENOMEM;
	memset(map->items, 0xff, nr * sizeof(*map->items));
	return 0;
}

static int64_t add_mapping(struct merge_entries *e, const struct model_mapping *mapping)
{
	struct model_mapping m = *mapping, *known;
	uint64_t size = (m.limit - m.start + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	int64_t id;

	m.file = merge_entries_string(e, m.file);
	m.build_id = merge_entries_string(e, m.build_id);
	id = span_set_add(&e->mapping_keys,
			  (uint64_t[]){ size, m.offset, m.build_id ? m.build_id : m.file }, 3);
	if (id < 0)
		return id;
	if ((uint64_t)id > e->sum->mappings.nr)
		return model_add_mapping(e->sum, &m);
	known = &e->sum->mappings.items[id - 1];
	known->flags &= m.flags;
	return id - 1;
}

int64_t merge_entries_mapping(struct merge_entries *e, uint32_t mapping)
{
	int64_t mapped = e->mappings.items[mapping];

	if (mapped != NOT_MAPPED)
		return mapped;
	mapped = add_mapping(e, &e->source->mappings.items[mapping]);
	if (mapped >= 0)
		e->mappings.items[mapping] = mapped;
	return mapped;
}

static int64_t add_function(struct merge_entries *e, const struct model_function *function)
{
	struct model_function f = *function;
	int64_t id;

	f.name = merge_entries_string(e, f.name);
	f.system_name = merge_entries_string(e, f.system_name);
	f.file = merge_entries_string(e, f.file);
	id = span_set_add(&e->function_keys,
			  (uint64_t[]){ f.start_line, f.name, f.system_name, f.file }, 4);
	if (id < 0)
		return id;
	return (uint64_t)id > e->sum->functions.nr ? model_add_function(e->sum, &f) : id - 1;
}

static int64_t map_function(struct merge_entries *e, uint32_t function)
{
	int64_t mapped = e->functions.items[function];

	if (mapped != NOT_MAPPED)
		return mapped;
	mapped = add_function(e, &e->source->functions.items[function]);
	if (mapped >= 0)
		e->functions.items[function] = mapped;
	return mapped;
}

/* Maps the lines of a location to e->lines. */
static int map_lines(struct merge_entries *e, const struct model_location *location)
{
	const struct model_line *lines = model_lines(e->source, location);
	int64_t function;

	if (RESERVE(e->lines, location->nr_lines))
		return -ENOMEM;
	for (uint32_t i = 0; i < location->nr_lines; i++) {
		function = map_function(e, lines[i].function);
		if (function < 0)
			return function;
		e->lines.items[i] = lines[i];
		e->lines.items[i].function = function;
	}
	return 0;
}

/* Finds or adds the key of a location of the sum, whose lines are in e->lines. */
static int64_t add_location_key(struct merge_entries *e, const struct model_location *l)
{
	uint64_t start = l->mapping == MODEL_NONE ? 0 : e->sum->mappings.items[l->mapping].start;
	uint64_t *key;

	if (RESERVE(e->key, 2 + 3 * (size_t)l->nr_lines))
		return -ENOMEM;
	key = e->key.items;
	*key++ = l->address - start;
	*key++ = (uint64_t)l->mapping << 1 | l->is_folded;
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		*key++ = e->lines.items[i].function;
		*key++ = e->lines.items[i].line;
		*key++ = e->lines.items[i].column;
	}
	return span_set_add(&e->location_keys, e->key.items, key - e->key.items);
}

static int64_t add_location(struct merge_entries *e, const struct model_location *location)
{
	struct model_location l = *location;
	int64_t id;

	if (l.mapping != MODEL_NONE) {
		id = merge_entries_mapping(e, l.mapping);
		if (id < 0)
			return id;
		l.address += e->sum->mappings.items[id].start -
			     e->source->mappings.items[l.mapping].start;
		l.mapping = id;
	}
	id = map_lines(e, location);
	if (id < 0)
		return id;
	id = add_location_key(e, &l);
	if (id < 0)
		return id;
	if ((uint64_t)id <= e->sum->locations.nr)
		return id - 1;
	return model_add_location(e->sum, &l, e->lines.items, l.nr_lines);
}

static int64_t map_location(struct merge_entries *e, uint32_t location)
{
	int64_t mapped = e->locations.items[location];

	if (mapped != NOT_MAPPED)
		return mapped;
	mapped = add_location(e, &e->source->locations.items[location]);
	if (mapped >= 0)
		e->locations.items[location] = mapped;
	return mapped;
}

int merge_entries_finish_stacks(struct merge_entries *e)
{
	size_t nr = e->batch.nr;
	int err = span_set_take_batch(&e->sum->stacks, &e->batch);

	for (size_t i = 0; !err && i < nr; i++)
		e->stacks.items[e->batch_stacks[i]] = e->batch.id[i];
	return err;
}

int merge_entries_add_stack(struct merge_entries *e, uint32_t stack)
{
	const uint32_t *locations;
	uint32_t nr, *to;
	int64_t mapped;

	if (e->stacks.items[stack] != NOT_MAPPED)
		return 0;
	locations = model_stack(e->source, stack, &nr);
	to = span_set_reserve(&e->sum->stacks, e->batch.nr_items + nr);
	if (!to)
		return -errno;
	to += e->batch.nr_items;
	for (uint32_t i = 0; i < nr; i++) {
		mapped = map_location(e, locations[i]);
		if (mapped < 0)
			return mapped;
		to[i] = mapped;
	}
	e->stacks.items[stack] = IN_BATCH;
	e->batch_stacks[e->batch.nr] = stack;
	span_set_push(&e->batch, nr);
	return e->batch.nr == SPAN_BATCH_MAX ? merge_entries_finish_stacks(e) : 0;
}

/* Replaces the texts of pprof::base by the one that pprof adds to samples of a diff base. */
static int64_t add_base_label(struct merge_entries *e, size_t nr)
{
	int64_t key = model_add_string(e->sum, "pprof::base", 11);
	int64_t str = model_add_string(e->sum, "true", 4);
	struct model_label *labels = e->labels.items;
	size_t nr_left = 0;

	if (key < 0 || str < 0)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		if (labels[i].key != key || labels[i].is_number)
			labels[nr_left++] = labels[i];
	labels[nr_left++] = (struct model_label){ .key = key, .str = str };
	return nr_left;
}

static int64_t add_label_set(struct merge_entries *e, uint32_t label_set)
{
	const struct model_label *labels;
	int64_t nr_labels;
	uint32_t nr;

	labels = model_labels(e->source, label_set, &nr);
	if (RESERVE(e->labels, nr + (size_t)1))
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct model_label *label = &e->labels.items[i];

		*label = labels[i];
		label->key = merge_entries_string(e, label->key);
		label->str = merge_entries_string(e, label->str);
		label->unit = merge_entries_string(e, label->unit);
	}
	nr_labels = e->is_diff_base ? add_base_label(e, nr) : nr;
	if (nr_labels < 0)
		return -ENOMEM;
	return model_add_label_set(e->sum, e->labels.items, nr_labels);
}

int64_t merge_entries_label_set(struct merge_entries *e, uint32_t label_set)
{
	int64_t mapped = e->label_sets.items[label_set];

	if (mapped != NOT_MAPPED)
		return mapped;
	mapped = add_label_set(e, label_set);
	if (mapped >= 0)
		e->label_sets.items[label_set] = mapped;
	return mapped;
}

static int reset_maps(struct merge_entries *e)
{
	const struct model *m = e->source;

	return RESERVE(e->strings, strtab_nr(m->strings)) ||
	       strtab_intern_all(e->sum->strings, m->strings, e->strings.items) ||
	       reset_map(&e->mappings, m->mappings.nr) ||
	       reset_map(&e->functions, m->functions.nr) ||
	       reset_map(&e->locations, m->locations.nr) ||
	       reset_map(&e->stacks, m->stacks.nr) ||
	       reset_map(&e->label_sets, m->label_sets.nr) ? -ENOMEM : 0;
}

int merge_entries_start(struct merge_entries *e, const struct model *source, bool is_diff_base)
{
	e->source = source;
	e->is_diff_base = is_diff_base;
	return reset_maps(e);
}
