/* SPDX-License-Identifier: GPL-2.0 */
/* Code without an FDE: finds rules for it by its machine code, where that is possible. */
#ifndef COLLECTOR_UNCOVERED_CODE_H
#define COLLECTOR_UNCOVERED_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/code_segments.h"
#include "unwind/table_builder.h"

/* An FDE covers the code just before, or just after, the gap in its segment. */
#define UNCOVERED_AFTER_FDE		(1U << 0)
#define UNCOVERED_BEFORE_FDE		(1U << 1)

/*
 * Adds rows for a gap, the bytes from file offset start to end. sides is a set of UNCOVERED_*. Adds
 * nothing if the rule before the gap should continue through it.
 */
void uncovered_code_fill(struct rows *r, const struct code_segments *t, uint64_t start,
			 uint64_t end, unsigned int sides);

#endif /* COLLECTOR_UNCOVERED_CODE_H */
