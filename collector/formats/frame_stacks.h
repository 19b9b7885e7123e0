/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The distinct stacks of a model by frames, root first. What a frame is, is up to the format:
 * frames are numbers here.
 */
#ifndef COLLECTOR_FRAME_STACKS_H
#define COLLECTOR_FRAME_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/span_set.h"

struct model;
struct profile_fault;

struct frame_stacks {
	/* Spans of frames (uint32_t), in the order of first use by a sample. 0 is the empty one. */
	struct span_set spans;
	/* By index in model.stacks: a span. Only stacks that samples have are set. */
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
 * Adds a value of a sample to sums[span] of its span. type is the index of the sample type. sums
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
