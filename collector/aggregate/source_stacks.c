// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the stacks of one source: first as raw stacks, then as location stacks.
 *
 * A sample is added to the raw stack with its addresses and its tag. This costs one look-up in a
 * hash map, and it needs no mapping.
 *
 * A flush moves all raw stacks to the location stacks. For each raw stack it looks up every
 * address in the mappings of the epoch, and adds the count and the values to the location stack.
 * So a mapping that is reported late still counts for the raw stacks of its epoch. Equal stacks
 * of different processes become one here. A flush must run before the epochs are freed.
 *
 * Ids change with a flush. Everything that refers to a raw stack has to be moved to the new ids:
 * see heap_objects_move() and lifetimes_move().
 */
#include "aggregate/source_stacks.h"

#include <errno.h>

#include "aggregate/raw_stack.h"

/* Limit of raw stacks between two flushes: 16 Ki of 20 frames are 3 MiB. */
#define MAX_RAW		(16U << 10)

int source_stacks_init(struct source_stacks *s, uint32_t source, size_t max_stacks,
		       unsigned int nr_values)
{
	*s = (struct source_stacks){
		.source = source,
		.max_stacks = max_stacks,
		.raw = tuple_map_new(MAX_RAW),
		.located = tuple_map_new(max_stacks),
		.raw_values.nr = nr_values,
		.values.nr = nr_values,
	};
	return s->raw && s->located ? 0 : -ENOMEM;
}

void source_stacks_finish(struct source_stacks *s)
{
	tuple_map_free(s->raw);
	s->raw = NULL;
	stack_values_fini(&s->raw_values);
}

void source_stacks_fini(struct source_stacks *s)
{
	source_stacks_finish(s);
	tuple_map_free(s->located);
	stack_values_fini(&s->values);
	truncation_fini(&s->truncation);
}

int64_t source_stacks_add(struct source_stacks *s, uint64_t tag, const struct pprof_sample *sample)
{
	const uint64_t *frames = (const uint64_t *)sample->frames;
	uint32_t nr = sample->nr_frames;
	uint64_t raw[RAW_STACK_MAX];

	if (sample->nr_kernel) {
		memcpy(raw, frames, nr * sizeof(*raw));
		raw[nr++] = sample->nr_kernel;
		tag |= RAW_STACK_KERNEL;
		frames = raw;
	}
	return tuple_map_add(s->raw, tag, frames, nr, sample->weight);
}

/*
 * Charges a truncated user stack to the file of its last frame: the caller of this frame is
 * missing. The last of the nr locations is the reason.
 */
static int count_truncated(struct source_stacks *s, const struct stack_locator *locator,
			   const struct tuple *raw, const uint64_t *locations, int nr)
{
	uint32_t file;

	if (raw_stack_end_reason(raw->tag) == PPROF_END_COMPLETE ||
	    raw_stack_nr_frames(raw) == raw_stack_nr_kernel(raw))
		return 0;
	file = locations_file(locator->locations, locations[nr - 2]);
	return truncation_add(&s->truncation, file, raw->count);
}

static int flush_stack(struct source_stacks *s, struct stack_locator *locator, size_t raw_id,
		       int64_t *id)
{
	const struct tuple *raw = tuple_map_at(s->raw, raw_id);
	uint64_t locations[STACK_LOCATOR_MAX];
	int nr, err = stack_locator_find_exe(locator, raw_stack_epoch(raw->tag));

	if (err)
		return err;
	nr = stack_locator_find(locator, s->source, raw, locations);
	if (nr < 0)
		return nr;
	err = count_truncated(s, locator, raw, locations, nr);
	if (err)
		return err;
	*id = tuple_map_add(s->located, raw_stack_labels(raw->tag), locations, nr, raw->count);
	if (*id == -ENOSPC) {
		s->over_max += raw->count;
		*id = s->max_stacks;
	}
	if (*id < 0)
		return *id;
	return stack_values_add(&s->values, *id, stack_values_at(&s->raw_values, raw_id));
}

int source_stacks_flush(struct source_stacks *s, struct stack_locator *locator, int64_t *ids)
{
	size_t nr = tuple_map_nr(s->raw);
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = flush_stack(s, locator, i, &ids[i]);
	if (err)
		return err;
	tuple_map_clear(s->raw);
	stack_values_clear(&s->raw_values);
	return 0;
}

void source_stacks_reset_values(struct source_stacks *s)
{
	stack_values_clear(&s->values);
	truncation_fini(&s->truncation);
}

void source_stacks_reset(struct source_stacks *s)
{
	tuple_map_clear(s->located);
	source_stacks_reset_values(s);
	s->over_max = 0;
}

const double *source_stacks_over_values(const struct source_stacks *s)
{
	return s->over_max ? stack_values_at(&s->values, s->max_stacks) : NULL;
}
