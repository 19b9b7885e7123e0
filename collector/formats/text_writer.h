/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the text formats of Go's runtime/pprof with debug=1 (pprof/legacy_text.h). Readers of
 * these formats find the names by the addresses again, and people read the names in the comments.
 * The sample types decide on the format:
 *
 *	alloc_objects, alloc_space, inuse_objects, inuse_space	heap profile
 *	contentions/count, delay/nanoseconds			contentions
 *	two types with the units count and bytes		growth of the heap
 *	all others						a count, of one sample type
 *
 * - The name of a count is that of its sample type. Its unit has no place in the format.
 * - Samples come in the order of their values, the largest first. So all of them are in memory.
 * - A location without an address, and a sample without a stack, are shown as no code.
 */
#ifndef COLLECTOR_TEXT_WRITER_H
#define COLLECTOR_TEXT_WRITER_H

#include <stdint.h>
#include <stdio.h>

struct model;
struct profile_fault;

/*
 * Writes a model. type is the sample type of a count, an index. Write errors are left in out, for
 * ferror().
 * Returns: 0; -EBADMSG for a negative value, since readers refuse it; or another negative errno.
 * Then *fault is set.
 */
int text_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);

#endif /* COLLECTOR_TEXT_WRITER_H */
