/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The distinct stacks of a model, as lists of frames, root first. A frame is a number here. The
 * format that is written decides what the number stands for.
 */
#ifndef COLLECTOR_FRAME_STACKS_H
#define COLLECTOR_FRAME_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/span_set.h"

struct model;
struct profile_fault;

struct frame_stacks {
	/* A span of frames (uint32_t) for each stack, by its first sample. Span 0 is empty. */
	struct span_set spans;
	/* The number of a span, by index in model.stacks. Only stacks that samples have are set. */
	uint32_t *of_stack;
};

/*
 * Finds the stacks of all samples. frame_of_line has the frame of each of model.lines, and
 * frame_of_location that of each of model.locations without lines. frame_stacks_fini() frees the
 * stacks, also after an error.
 * Returns: 0, -ENOMEM, or -EOVERFLOW beyond 2^31 stacks or 2^32 frames in them.
 */
int frame_stacks_init(struct frame_stacks *s, const struct model *m, const uint32_t *frame_of_line,
		      const uint32_t *frame_of_location);

/* Frees the stacks. s may be all zeroes. */
void frame_stacks_fini(struct frame_stacks *s);

/*
 * Adds one value of a sample to the sum of its stack. type is the index of the sample type. sums
 * has an item for each span.
 * Returns: 0; or -EBADMSG if the sum does not fit in 63 bits, and then *fault is set.
 */
int frame_stacks_add(const struct frame_stacks *s, const struct model *m, size_t sample,
		     uint32_t type, int64_t *sums, struct profile_fault *fault);

/* Returns the frames of a span, root first, and sets *nr to their number. They belong to s. */
static inline const uint32_t *frame_stacks_at(const struct frame_stacks *s, uint32_t span,
					      uint32_t *nr)
{
	*nr = span_set_len(&s->spans, span);
	return span_set_at(&s->spans, span);
}

#endif /* COLLECTOR_FRAME_STACKS_H */
