/* SPDX-License-Identifier: GPL-2.0 */
/* Finds rules for code without an FDE, from its machine code, where that is possible. */
#ifndef COLLECTOR_UNCOVERED_CODE_H
#define COLLECTOR_UNCOVERED_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/code_segments.h"
#include "unwind/table_builder.h"

/* The gap is right after the code of an FDE, or right before that of one, in its segment. */
#define UNCOVERED_AFTER_FDE		(1U << 0)
#define UNCOVERED_BEFORE_FDE		(1U << 1)
/* The code after the gap is where the stack of a thread or of a program starts. */
#define UNCOVERED_BEFORE_START		(1U << 2)

/*
 * Adds rows for a gap. The gap is the bytes from file offset start to end, and sides is a set of
 * UNCOVERED_*. Adds nothing if the rule before the gap should continue through it.
 */
void uncovered_code_fill(struct table_builder *r, const struct code_segments *t, uint64_t start,
			 uint64_t end, unsigned int sides);

/* Is the file musl, or a program that starts as those that are linked with musl do? */
bool uncovered_code_is_musl(const struct code_segments *t);

#endif /* COLLECTOR_UNCOVERED_CODE_H */
