/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A raw stack is a stack as it is in a sample: a tuple (base/tuple_map.h) of addresses, leaf first.
 * If its first addresses are of the kernel, a last number in the tuple counts them. The tag holds
 * everything else that distinguishes samples: the address-space epoch, whether the leaf of the user
 * stack is a return address, the label set, and the end reason.
 */
#ifndef COLLECTOR_RAW_STACK_H
#define COLLECTOR_RAW_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/tuple_map.h"
#include "pprof.h"

/*
 * Bits of a tag: 32 for the epoch, 1 for the leaf, 1 for kernel frames, 26 for the label set, 4 for
 * the end reason.
 */
#define RAW_STACK_EPOCH_SHIFT	32
#define RAW_STACK_LEAF_SHIFT	31
#define RAW_STACK_KERNEL	(UINT64_C(1) << 30)
#define RAW_STACK_LABELS_SHIFT	4
#define RAW_STACK_LABELS_MASK	0x3ffffffU
#define RAW_STACK_END_MASK	15U

/* Limit of the numbers in a raw stack: its addresses, and the count of those of the kernel. */
#define RAW_STACK_MAX	(PPROF_MAX_FRAMES + PPROF_MAX_KERNEL_FRAMES + 1)

/*
 * Returns the tag of a raw stack without kernel frames. With kernel frames the caller also sets
 * RAW_STACK_KERNEL. labels is the number of a label set, which fits: see LABELS_MAX_SETS. An end
 * reason over 15 loses its upper bits.
 */
static inline uint64_t raw_stack_tag(uint32_t epoch, bool leaf_is_return, uint32_t labels,
				     uint32_t end_reason)
{
	return (uint64_t)epoch << RAW_STACK_EPOCH_SHIFT |
	       (uint64_t)leaf_is_return << RAW_STACK_LEAF_SHIFT |
	       (uint64_t)labels << RAW_STACK_LABELS_SHIFT | (end_reason & RAW_STACK_END_MASK);
}

/* Returns the number of the address-space epoch: see process/processes.h. */
static inline uint32_t raw_stack_epoch(uint64_t tag)
{
	return tag >> RAW_STACK_EPOCH_SHIFT;
}

/* Is the first address of the user stack a return address? */
static inline bool raw_stack_leaf_is_return(uint64_t tag)
{
	return tag >> RAW_STACK_LEAF_SHIFT & 1;
}

/* Returns the number of the label set: see label_sets.h. */
static inline uint32_t raw_stack_labels(uint64_t tag)
{
	return tag >> RAW_STACK_LABELS_SHIFT & RAW_STACK_LABELS_MASK;
}

/* Returns the end reason: PPROF_END_*, or an unknown one. */
static inline uint32_t raw_stack_end_reason(uint64_t tag)
{
	return tag & RAW_STACK_END_MASK;
}

/* Returns how many of the first numbers in raw are addresses of the kernel. */
static inline uint32_t raw_stack_nr_kernel(const struct tuple *raw)
{
	return raw->tag & RAW_STACK_KERNEL ? raw->frames[raw->nr_frames - 1] : 0;
}

/* Returns how many numbers in raw are addresses, those of the kernel included. */
static inline uint32_t raw_stack_nr_frames(const struct tuple *raw)
{
	return raw->nr_frames - !!(raw->tag & RAW_STACK_KERNEL);
}

#endif /* COLLECTOR_RAW_STACK_H */
