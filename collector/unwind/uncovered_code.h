/* SPDX-License-Identifier: GPL-2.0 */
/* Code that no FDE describes: what is known of it all the same. */
#ifndef COLLECTOR_GAPS_H
#define COLLECTOR_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/code_segments.h"
#include "unwind/table_builder.h"

/* What lies before and behind a gap, within its segment. */
#define GAPS_AFTER_FDE		(1U << 0)
#define GAPS_BEFORE_FDE		(1U << 1)

/*
 * Adds rows for the file's bytes from start to end, unless the row before them
 * is to hold there too.
 */
void gaps_fill(struct rows *r, const struct elftext *t, uint64_t start, uint64_t end,
	       unsigned int sides);

#endif /* COLLECTOR_GAPS_H */
