/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The deduplicating hash map: counts equal stacks. Its memory grows with the
 * number of distinct stacks and not with the number of additions.
 */
#ifndef COLLECTOR_STACKS_H
#define COLLECTOR_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct stacks;

/* The tag is the caller's: stacks with different tags are different. */
struct stack {
	uint64_t tag;
	uint64_t count;
	uint32_t nr_frames;
	uint32_t pad;
	uint64_t frames[];
};

/* An empty map for at most max_stacks distinct stacks. NULL with errno ENOMEM. */
struct stacks *stacks_new(size_t max_stacks);

/* Frees the map and its stacks. NULL is fine. */
void stacks_free(struct stacks *s);

/*
 * Adds count to the stack of this tag and these frames, which are copied the
 * first time, and returns its id: 0, 1, ... in order of first appearance.
 * -ENOSPC: it would be one stack too many; -ENOMEM. The map is as before then.
 */
int64_t stacks_add(struct stacks *s, uint64_t tag, const uint64_t *frames,
		   uint32_t nr_frames, uint64_t count);

/* The id of the stack of this tag and these frames, or -ENOENT. */
int64_t stacks_find(const struct stacks *s, uint64_t tag, const uint64_t *frames,
		    uint32_t nr_frames);

/* The number of distinct stacks. */
size_t stacks_nr(const struct stacks *s);

/* The stack with an id below stacks_nr(). Stays in place until stacks_clear(). */
const struct stack *stacks_at(const struct stacks *s, size_t id);

/*
 * Forgets all stacks; ids start at 0 again. Keeps the memory that an ordinary
 * number of stacks needs, and gives back what a burst took beyond that.
 */
void stacks_clear(struct stacks *s);

#endif /* COLLECTOR_STACKS_H */
