// SPDX-License-Identifier: GPL-2.0
#include "formats/frame_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/model.h"
#include "pprof/profile_fault.h"

#define NONE	UINT32_MAX

struct builder {
	struct frame_stacks *stacks;
	const struct model *model;
	const uint32_t *frame_of_line;
	const uint32_t *frame_of_location;
};

/* Returns the number of frames of the locations. */
static size_t count_frames(const struct model *m, const uint32_t *locations, uint32_t nr)
{
	size_t nr_frames = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t nr_lines = m->locations.items[locations[i]].nr_lines;

		nr_frames += nr_lines ? nr_lines : 1;
	}
	return nr_frames;
}

/* Writes the frames of a location, the outermost first. Returns the end of what it wrote. */
static uint32_t *put_location(const struct builder *b, uint32_t *at, uint32_t location)
{
	const struct model_location *l = &b->model->locations.items[location];

	if (!l->nr_lines)
		*at++ = b->frame_of_location[location];
	for (uint32_t i = l->nr_lines; i--;)
		*at++ = b->frame_of_line[l->first_line + i];
	return at;
}

static int add_stack(struct builder *b, uint32_t stack)
{
	struct frame_stacks *s = b->stacks;
	uint32_t nr, *frames, *at;
	const uint32_t *locations = model_stack(b->model, stack, &nr);
	size_t nr_frames;
	int64_t id;

	if (s->of_stack[stack] != NONE)
		return 0;
	nr_frames = count_frames(b->model, locations, nr);
	frames = span_set_reserve(&s->spans, nr_frames);
	if (!frames)
		return -errno;
	for (at = frames; nr--;)
		at = put_location(b, at, locations[nr]);
	id = span_set_take(&s->spans, nr_frames);
	if (id < 0)
		return id;
	s->of_stack[stack] = id;
	return 0;
}

int frame_stacks_init(struct frame_stacks *s, const struct model *m, const uint32_t *frame_of_line,
		      const uint32_t *frame_of_location)
{
	struct builder b = {
		.stacks = s, .model = m,
		.frame_of_line = frame_of_line, .frame_of_location = frame_of_location,
	};
	int err = span_set_init(&s->spans, sizeof(uint32_t));

	s->of_stack = malloc(m->stacks.nr * sizeof(*s->of_stack));
	if (err || !s->of_stack)
		return -ENOMEM;
	memset(s->of_stack, 0xFF, m->stacks.nr * sizeof(*s->of_stack));
	for (size_t i = 0; !err && i < m->samples.nr; i++)
		err = add_stack(&b, m->samples.items[i].stack);
	span_set_trim(&s->spans);
	return err;
}

void frame_stacks_fini(struct frame_stacks *s)
{
	span_set_fini(&s->spans);
	free(s->of_stack);
}

int frame_stacks_add(const struct frame_stacks *s, const struct model *m, size_t sample,
		     uint32_t type, int64_t *sums, struct profile_fault *fault)
{
	int64_t *sum = &sums[s->of_stack[m->samples.items[sample].stack]];

	if (!__builtin_add_overflow(*sum, model_values(m, sample)[type], sum))
		return 0;
	return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
				 "the values of a stack add up to more than 2^63: filter the profile");
}
