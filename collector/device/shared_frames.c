// SPDX-License-Identifier: GPL-2.0
#include "device/shared_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/sample_record.h"

/* The user stack of a thread's last sample, outermost frame first: the next one begins alike. */
struct shared_stack {
	uint32_t nr;
	uint64_t frames[PPROF_MAX_FRAMES];
};

void shared_frames_fini(struct shared_frames *s)
{
	for (uint32_t ring = 0; ring < s->nr_rings; ring++)
		free(s->stacks[ring]);
	free(s->stacks);
	free(s->whole);
	*s = (struct shared_frames){ 0 };
}

static int grow(struct shared_frames *s, size_t bytes)
{
	struct pprof_sample *whole;

	if (bytes <= s->whole_bytes)
		return 0;
	whole = realloc(s->whole, bytes);
	if (!whole)
		return -ENOMEM;
	s->whole = whole;
	s->whole_bytes = bytes;
	return 0;
}

/* Adds the frames of the sample to those of the stack that it shares. */
static void update(struct shared_stack *stack, const struct pprof_sample *sample)
{
	uint32_t nr = sample->nr_frames - sample->nr_kernel;

	stack->nr = sample->nr_shared + nr;
	for (uint32_t i = 0; i < nr; i++)
		stack->frames[stack->nr - 1 - i] = sample->frames[sample->nr_kernel + i];
}

/* Labels and context follow the frames, and move. */
static int make_whole(struct shared_frames *s, const struct shared_stack *stack,
		      const struct pprof_sample *sample)
{
	size_t bytes = sample->ev.rec.size, nr = sample->nr_shared;
	size_t to_frames = sizeof(*sample) + sample->nr_frames * sizeof(*sample->frames);
	int err = grow(s, bytes + nr * sizeof(*sample->frames));
	struct pprof_sample *whole = s->whole;

	if (err)
		return err;
	memcpy(whole, sample, to_frames);
	for (size_t i = 0; i < nr; i++)
		whole->frames[whole->nr_frames + i] = stack->frames[nr - 1 - i];
	memcpy(&whole->frames[whole->nr_frames + nr], (const char *)sample + to_frames,
	       bytes - to_frames);
	whole->nr_frames += nr;
	whole->nr_shared = 0;
	whole->ev.rec.size += nr * sizeof(*sample->frames);
	return 0;
}

/* The stack of a thread is not known from here on, until a sample has all of its frames. */
static int make_truncated(struct shared_frames *s, struct shared_stack *stack,
			  const struct pprof_sample *sample)
{
	int err = grow(s, sample->ev.rec.size);

	if (err)
		return err;
	stack->nr = 0;
	memcpy(s->whole, sample, sample->ev.rec.size);
	s->whole->nr_shared = 0;
	s->whole->end_reason = PPROF_END_NOT_SHARED;
	return 0;
}

static int add_rings(struct shared_frames *s, uint32_t nr)
{
	struct shared_stack **stacks = reallocarray(s->stacks, nr, sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	s->stacks = stacks;
	while (s->nr_rings < nr)
		stacks[s->nr_rings++] = NULL;
	return 0;
}

/* Returns the stack of a thread, or NULL without memory. */
static struct shared_stack *find_stack(struct shared_frames *s, uint32_t ring, uint32_t tid)
{
	if (ring >= s->nr_rings && add_rings(s, ring + 1))
		return NULL;
	if (!s->stacks[ring])
		s->stacks[ring] = calloc(PPROF_SHARED_STACKS, sizeof(*s->stacks[ring]));
	return s->stacks[ring] ? &s->stacks[ring][tid % PPROF_SHARED_STACKS] : NULL;
}

void shared_frames_forget(struct shared_frames *s, uint32_t ring)
{
	if (ring >= s->nr_rings || !s->stacks[ring])
		return;
	for (uint32_t i = 0; i < PPROF_SHARED_STACKS; i++)
		s->stacks[ring][i].nr = 0;
}

int shared_frames_add(struct shared_frames *s, uint32_t ring, const struct pprof_sample **sample)
{
	struct shared_stack *stack;
	int err;

	if (!sample_is_sane(*sample)) {
		shared_frames_forget(s, ring);
		return 0;
	}
	stack = find_stack(s, ring, (*sample)->ev.tid);
	if (!stack)
		return -ENOMEM;
	if ((*sample)->nr_shared > stack->nr) {
		err = make_truncated(s, stack, *sample);
	} else {
		update(stack, *sample);
		err = (*sample)->nr_shared ? make_whole(s, stack, *sample) : 0;
	}
	if (!err && (*sample)->nr_shared)
		*sample = s->whole;
	return err;
}
